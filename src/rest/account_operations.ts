/** Operations on accounts other than those that every resource has, and the export of the audit log. */

import { resetSecondFactor } from "../domain/accounts/second_factors/reset.ts";
import { provisionToken } from "../domain/accounts/tokens/provision.ts";
import { users } from "../domain/accounts/users/resource.ts";
import { download } from "../base/download.ts";
import { exportLog, LOG_FORMATS, LOGS } from "../domain/system/object_changes/export_log.ts";
import { auditEvents } from "../domain/system/audit_events/resource.ts";
import { FORMATS } from "../formats/mod.ts";
import { get, type Operation, post } from "./operation.ts";
import { filterParameters } from "./parameters.ts";

export function accountOperations(): Operation[] {
  return [
    post("/api/users/tokens/provision/", provisionToken, {
      operationId: "provisionToken",
      summary: "Create a token by username and password",
      description:
        "Needs no token. The key is in this response only. In addition to the credentials it accepts the fields of a " +
        "token: `description`, `expires`, `write_enabled`, `allowed_ips`. Accounts that have or need a second factor " +
        "are refused (403): create their tokens on the profile page. Failed attempts are counted by account " +
        "and by address; too many of them are refused for a while (429).",
      tag: "users",
      anonymous: true,
      status: 201,
      response: "The token; its key is shown here only.",
      responses: {
        403: {
          description: "The account has or needs a second factor.",
          schema: { $ref: "#/components/schemas/Detail" },
        },
      },
    }),
    post(`/api/${users.path}/{id}/reset-second-factor/`, resetSecondFactor, {
      operationId: "resetSecondFactor",
      summary: "Remove a user's second factors",
      description:
        "For users who have lost their devices. Needs `change` on the user; superusers only for superusers, and not " +
        "the caller. Removes passkeys, authenticator app and recovery codes, and revokes the user's web sessions. " +
        "API tokens stay valid.",
      tag: "users",
      response: "The user, with `has_second_factor` false.",
      responses: {
        409: { description: "The user is the caller.", schema: { $ref: "#/components/schemas/Detail" } },
      },
    }),
    ...LOGS.map((log) =>
      get(`/api/${log.path}/export/`, {
        operationId: log === auditEvents ? "exportAuditEvents" : "exportObjectChanges",
        summary: log === auditEvents ? "Export the audit log" : "Export the change log",
        description:
          "Needs `view`. All filters of the list apply. More entries than CERTMGR_MAX_EXPORT_SIZE are refused; the export " +
          "is never truncated. Datetimes are in UTC, oldest first.",
        tag: "core",
        parameters: () => [
          {
            name: "format",
            description: "Format of the document.",
            schema: { type: "string", enum: [...LOG_FORMATS], default: "csv" },
          },
          ...filterParameters(log),
        ],
        responses: {
          200: {
            description: "The document.",
            mediaTypes: LOG_FORMATS.map((name) => FORMATS[name].mediaType),
          },
        },
        handle: async ({ ctx, query: params }) => await download(ctx, await exportLog({ ctx, log, params })),
      })
    ),
  ];
}

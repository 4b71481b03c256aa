/** What accounts have beside the usual: a token for whoever knows a password. */

import { z } from "zod";
import { provisionToken, tokens } from "../domain/accounts/tokens/mod.ts";
import { inputSchema } from "../resource/mod.ts";
import { json } from "./http.ts";
import type { Operation } from "./operation.ts";

/** Operations on accounts beside those of every resource. */
export function accountOperations(): Operation[] {
  return [{
    method: "POST",
    path: "/api/users/tokens/provision/",
    operationId: "provisionToken",
    summary: "Make a token by username and password",
    description:
      "Needs no token. The key is in this answer only. Beside the credentials it takes what a token may be given " +
      "otherwise: `description`, `expires`, `write_enabled`, `allowed_ips`. Failed attempts are counted by account " +
      "and by address, and too many of them are turned away for a while (429).",
    tag: "users",
    anonymous: true,
    request: z.object({
      username: z.string(),
      password: z.string(),
      description: inputSchema(tokens, "description").optional(),
      expires: inputSchema(tokens, "expires").optional().describe("A datetime in the future; null: never."),
      write_enabled: z.boolean().optional().describe("Whether it may be used for changes; so unless said."),
      allowed_ips: inputSchema(tokens, "allowed_ips").optional().describe(
        "Addresses and networks; none: from anywhere.",
      ),
    }),
    answers: {
      201: {
        description: "The token; its key is shown here only.",
        schema: { $ref: "#/components/schemas/Token" },
      },
    },
    handle: async ({ ctx, json: body, address }) =>
      json(await provisionToken({ deps: ctx, input: await body(), address }), { status: 201 }),
  }];
}

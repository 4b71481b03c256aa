/** What is done with many certificates at once. */

import { download } from "../../base/download.ts";
import { bulkAssign } from "../../domain/assignments/mod.ts";
import { bulkValidateChains } from "../../domain/certificates/chain/mod.ts";
import { bulkCheckCertificates } from "../../domain/compliance/mod.ts";
import { exportCertificates } from "../../domain/certificates/export/mod.ts";
import { bulkStatusUpdate } from "../../domain/certificates/status/mod.ts";
import type { Call } from "../call.ts";
import { idsOf, textOf } from "../forms.ts";
import { attempt, done, refused } from "../responses.ts";
import { assignPage } from "./assign.tsx";

const LIST = "/certificates/";

/** One of the things that may be done; gives what is said of it. */
type Action = (call: Call, ids: readonly number[]) => Promise<string | Response>;

const ACTIONS: Readonly<Record<string, Action>> = {
  status: async ({ ctx, form }, ids) => {
    const status = textOf(form, "status");
    const { updated_count } = await bulkStatusUpdate({ ctx, input: { ids, status } });
    const unchanged = new Set(ids).size - updated_count;
    return `${counted(updated_count)} set to ${status}${
      unchanged === 0 ? "" : `; ${unchanged} already had this status`
    }.`;
  },
  validate: async ({ ctx }, ids) => {
    const { validated_count, valid_count } = await bulkValidateChains({ ctx, input: { ids } });
    return `${counted(validated_count)} validated: ${valid_count} valid chains, ${
      validated_count - valid_count
    } not valid.`;
  },
  check: async ({ ctx }, ids) => {
    const result = await bulkCheckCertificates({ ctx, input: { certificate_ids: ids } });
    return `${
      counted(result.processed)
    } checked: ${result.overall_passed} passed, ${result.overall_failed} failed (score ${result.overall_score} %).`;
  },
  assign: (call, ids) => assignPage(call, ids),
  assign_to: async ({ ctx, form }, ids) => {
    const [type = "", id = ""] = textOf(form, "target").split(" ");
    const { created_count, skipped_count } = await bulkAssign({
      ctx,
      input: {
        certificate_ids: ids,
        assigned_object_type: type,
        assigned_object_id: Number(id),
        is_primary: form.has("is_primary"),
        notes: textOf(form, "notes"),
      },
    });
    return `${counted(created_count)} assigned${
      skipped_count === 0 ? "" : `; ${skipped_count} already assigned`
    }.`;
  },
  export: async ({ ctx, form }, ids) => {
    const params = new URLSearchParams({ format: textOf(form, "format"), ids: ids.join(",") });
    return await download(ctx, await exportCertificates({ ctx, params }));
  },
};

function counted(count: number): string {
  return `${count.toLocaleString("en")} ${count === 1 ? "certificate" : "certificates"}`;
}

/** Does what the pressed button names, with the chosen certificates. */
export async function bulkAction(call: Call): Promise<Response> {
  const ids = idsOf(call.form, "ids");
  const name = textOf(call.form, "action");
  const action = Object.hasOwn(ACTIONS, name) ? ACTIONS[name] : undefined;
  if (action === undefined) return refused(call, LIST, "Select an action.");
  if (ids.length === 0) return refused(call, LIST, "Select at least one certificate.");
  return await attempt({ call, back: LIST, codes: ["invalid", "conflict", "forbidden"] }, async () => {
    const result = await action(call, ids);
    return typeof result === "string" ? done(call, LIST, result) : result;
  });
}

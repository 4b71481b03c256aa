/** Bulk actions on certificates. */

import { counted } from "../../../base/amounts.ts";
import { AppError, forbidden, invalid } from "../../../base/errors.ts";
import { isGranted } from "../../../auth/mod.ts";
import { download } from "../../../base/download.ts";
import { assignments, bulkAssign, undoBulkAssign } from "../../../domain/assignments/mod.ts";
import { bulkValidateChains } from "../../../domain/certificates/chain/mod.ts";
import { bulkCheckCertificates, checks } from "../../../domain/compliance/mod.ts";
import { contactAssignments, undoAssignContact } from "../../../domain/contact_assignments/mod.ts";
import { exportCertificates } from "../../../domain/certificates/export/mod.ts";
import { certificates } from "../../../domain/certificates/mod.ts";
import { bulkStatusUpdate, undoStatusUpdate } from "../../../domain/certificates/status/mod.ts";
import type { Call, Flash, Undoable } from "../../call.ts";
import { textOf } from "../../forms.ts";
import { fieldErrorsOf } from "../../messages.ts";
import { backOf, FIND, may, postedReference, selectedIds, withJoinedErrors } from "../../kit/mod.ts";
import { listPath } from "../../paths.ts";
import { attempt, done, refused, seeOther } from "../../responses.ts";
import { assignPage, TARGETS } from "./assign.tsx";
import { assignPosted, contactPage } from "./assign_contact.tsx";
import { LIST_DEFAULTS } from "./list_defaults.ts";
import { chooseStatusPage, revocationPage } from "./status_pages.tsx";

/** Returns the message about an action that has changed nothing. */
function unchanged(text: string): Flash {
  return { kind: "info", text };
}

/** The result if none of the selected certificates exists, or the user may view none. */
const MISSING = unchanged("The selected certificates do not exist.");

/** An action on the selected certificates; returns the message about its result, a text if it has succeeded. */
type Action = (call: Call, ids: readonly number[]) => Promise<string | Flash | Response>;

const ACTIONS: Readonly<Record<string, Action>> = {
  status: async (call, ids) => {
    const { ctx, form } = call;
    const status = textOf(form, "status");
    if (status === "") return await chooseStatusPage(call, ids);
    if (status === "revoked" && !form.has("confirmed")) return await revocationPage(call, ids);
    const { updated_count, results } = await bulkStatusUpdate({ ctx, input: { ids, status } });
    if (results.length === 0) return MISSING;
    const others = results.length - updated_count;
    if (updated_count === 0) {
      return unchanged(
        `Nothing changed: ${counted(others, "certificate")} ${
          others === 1 ? "was" : "were"
        } already ${status}.`,
      );
    }
    return `${counted(updated_count, "certificate")} set to ${status}${
      others === 0 ? "" : `; ${others} already had this status`
    }.`;
  },
  validate: async ({ ctx }, ids) => {
    const { validated_count, valid_count } = await bulkValidateChains({ ctx, input: { ids } });
    if (validated_count === 0) return MISSING;
    const rest = validated_count - valid_count;
    const text = `${counted(validated_count, "chain")} validated: ${
      rest > 0
        ? `${valid_count} valid, ${rest} not valid`
        : validated_count === 1
        ? "it is valid"
        : "all are valid"
    }.`;
    return rest === 0 ? text : { kind: "warn", text };
  },
  check: async ({ ctx }, ids) => {
    const result = await bulkCheckCertificates({ ctx, input: { certificate_ids: ids } });
    if (result.processed === 0) return MISSING;
    const { overall_passed: passed, overall_failed: failed, overall_score: score } = result;
    const text = `${
      counted(result.processed, "certificate")
    } checked: ${passed} passed, ${failed} failed (score ${score} %).`;
    if (failed === 0) return text;
    const link = isGranted(ctx, "view", checks.objectType)
      ? { link: { label: "View failed checks", path: failedChecksPath(result.reports) } }
      : {};
    return { kind: "warn", text, ...link };
  },
  assign: (call, ids) => assignPage(call, ids, { back: backOf(call, certificates) }),
  assign_to: assignTo,
  contact: (call, ids) => contactPage(call, ids, { back: backOf(call, certificates) }),
  contact_to: async (call, ids) => {
    const result = await assignPosted(call, ids, backOf(call, certificates));
    if (result instanceof Response) return result;
    const { created, skipped } = result;
    if (created + skipped === 0) return MISSING;
    if (created === 0) return unchanged("Nothing changed: all have this contact in this role.");
    return `Contact assigned to ${counted(created, "certificate")}${
      skipped === 0 ? "" : `; ${skipped} had it already`
    }.`;
  },
  export: async ({ ctx, form }, ids) => {
    const params = new URLSearchParams({ format: textOf(form, "format"), ids: ids.join(",") });
    return await download(ctx, await exportCertificates({ ctx, params }));
  },
};

/** Certificates that a link to failed checks names; for more, it shows those of all certificates. */
const MAX_LINKED = 20;

/** Returns the path of the list of failed checks of the certificates that have some. */
function failedChecksPath(
  reports: readonly { readonly certificate_id: number; readonly failed: number }[],
): string {
  const ids = reports.filter(({ failed }) => failed > 0).map(({ certificate_id: id }) => id);
  const params = new URLSearchParams({ result: "fail" });
  if (ids.length <= MAX_LINKED) { for (const id of ids) params.append("certificate_id", String(id)); }
  return `${listPath(checks)}?${params}`;
}

/** Assigns certificates; on errors, the form is shown again. */
async function assignTo(call: Call, ids: readonly number[]): ReturnType<Action> {
  const { ctx, form } = call;
  const back = backOf(call, certificates);
  try {
    const chosen = await postedReference(call, TARGETS, "assigned_object");
    if (chosen === undefined) throw invalid({ assigned_object: ["Choose an object."] });
    const { created_count, skipped_count } = await bulkAssign({
      ctx,
      input: {
        certificate_ids: ids,
        assigned_object_type: chosen.target.objectType,
        assigned_object_id: chosen.id,
        is_primary: form.has("is_primary"),
        notes: textOf(form, "notes"),
      },
    });
    if (created_count + skipped_count === 0) return MISSING;
    if (created_count === 0) {
      return unchanged(`Nothing changed: ${counted(skipped_count, "certificate")} already assigned.`);
    }
    return `${counted(created_count, "certificate")} assigned${
      skipped_count === 0 ? "" : `; ${skipped_count} already assigned`
    }.`;
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== "invalid") throw error;
    return await assignPage(call, ids, { back, errors: withJoinedErrors(assignments, fieldErrorsOf(error)) });
  }
}

/** Runs the action of the pressed button on the selected certificates, and returns to the same list. */
export async function bulkAction(call: Call): Promise<Response> {
  // A search without scripts returns to the form.
  const searching = call.form.has("assigned_object") ? "assign" : "contact";
  const name = call.form.has(FIND) ? searching : textOf(call.form, "action");
  const back = backOf(call, certificates);
  const action = Object.hasOwn(ACTIONS, name) ? ACTIONS[name] : undefined;
  if (action === undefined) return refused(call, back, "Select an action.");
  return await attempt({ call, back, codes: ["invalid", "conflict", "forbidden"] }, async () => {
    const ids = await selectedIds(call, { resource: certificates, ...LIST_DEFAULTS });
    if (ids.length === 0) return refused(call, back, "Select at least one certificate.");
    const result = await action(call, ids);
    if (result instanceof Response) return result;
    if (typeof result !== "string") return seeOther(call, back, { flash: result });
    const undo = isUndoable(name) && UNDO_ACTIONS[name].may(call)
      ? { undo: { action: name, requestId: call.ctx.requestId } }
      : {};
    return seeOther(call, back, { flash: { kind: "success", text: result, ...undo } });
  });
}

/** The undo of an action. */
interface UndoAction {
  /** Returns whether it is offered to the user. */
  readonly may: (call: Call) => boolean;
  /** Returns the message about the result; undefined if nothing is left to undo. */
  readonly run: (call: Call, requestId: string) => Promise<string | undefined>;
}

/** Undoing an edit is the same for all lists, and each list has a URL for it. */
type OwnAction = Exclude<Undoable["action"], "edit">;

const UNDO_ACTIONS: Readonly<Record<OwnAction, UndoAction>> = {
  status: {
    may: mayBulk,
    run: async ({ ctx }, request_id) => {
      const { restored_count } = await undoStatusUpdate({ ctx, input: { request_id } });
      return restored_count === 0
        ? undefined
        : `${counted(restored_count, "certificate")} restored to the previous status.`;
    },
  },
  assign_to: {
    may: (call) => mayBulk(call) && may(call, assignments, "delete"),
    run: async ({ ctx }, request_id) => {
      const { removed_count } = await undoBulkAssign({ ctx, input: { request_id } });
      if (removed_count === 0) return undefined;
      return `${counted(removed_count, "assignment")} removed again.`;
    },
  },
  contact_to: {
    may: (call) => may(call, contactAssignments, "delete"),
    run: async ({ ctx }, request_id) => {
      const { removed_count } = await undoAssignContact({ ctx, input: { request_id } });
      return removed_count === 0
        ? undefined
        : `Contact removed again from ${counted(removed_count, "certificate")}.`;
    },
  },
};

function mayBulk({ ctx }: Call): boolean {
  return isGranted(ctx, "bulk_operations", certificates.objectType);
}

function isUndoable(name: string): name is OwnAction {
  return Object.hasOwn(UNDO_ACTIONS, name);
}

/** Undoes the bulk action that the message on the page reported. */
export async function undoBulkAction(call: Call): Promise<Response> {
  const back = backOf(call, certificates);
  const name = textOf(call.form, "action");
  if (!(isUndoable(name) ? UNDO_ACTIONS[name].may : mayBulk)(call)) throw forbidden();
  if (!isUndoable(name)) return refused(call, back, "This action cannot be undone.");
  return await attempt({ call, back, codes: ["invalid", "conflict"] }, async () => {
    const text = await UNDO_ACTIONS[name].run(call, textOf(call.form, "request_id"));
    return text === undefined
      ? refused(call, back, "Nothing left to undo: the objects have changed since.")
      : done(call, back, text);
  });
}

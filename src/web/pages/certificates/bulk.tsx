/** Bulk actions on certificates. */

import { backOf, FIND, may, orAgain, postedReference, selectedIds, withJoinedErrors } from "../../kit/mod.ts";
import { counted } from "../../../base/amounts.ts";
import { forbidden, invalidField } from "../../../base/errors.ts";
import { isGranted } from "../../../auth/mod.ts";
import { download } from "../../../base/download.ts";
import { assignments, bulkAssign, undoBulkAssign } from "../../../domain/assignments/mod.ts";
import { bulkValidateChains } from "../../../domain/certificates/chain/validate_certificate.ts";
import { bulkCheckCertificates, checks } from "../../../domain/compliance/mod.ts";
import {
  assignContact,
  contactAssignments,
  undoAssignContact,
} from "../../../domain/contact_assignments/mod.ts";
import { exportCertificates } from "../../../domain/certificates/export/export_certificates.ts";
import { certificates } from "../../../domain/certificates/mod.ts";
import {
  bulkStatusUpdate,
  undoStatusUpdate,
} from "../../../domain/certificates/status/bulk_status_update.ts";
import type { Call, Flash, Undoable } from "../../call.ts";
import { textOf } from "../../forms.ts";
import { listPath } from "../../paths.ts";
import { attempt, done, refused, seeOther } from "../../responses.ts";
import { contactRoles, contacts } from "../../../domain/contacts/mod.ts";
import { assignPage, contactPage, mayBulk, revocationPage, TARGETS } from "./bulk_pages.tsx";
import { tellFromForm, tellPage } from "./tell_owners.tsx";
import { LIST_DEFAULTS } from "./list_defaults.ts";

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
    if (status === "") return refused(call, backOf(call, certificates), "Choose a status.");
    if (status === "revoked" && !form.has("confirmed")) return await revocationPage(call, ids);
    const { updated_count, results } = await bulkStatusUpdate({ ctx, input: { ids, status } });
    if (results.length === 0) return MISSING;
    const others = results.length - updated_count;
    if (updated_count === 0) {
      return unchanged(
        `Nothing changed: ${counted(others, "certificate")} had the status ${status} already.`,
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
    const text = `${counted(validated_count, "chain")} validated: ${valid_count} valid, ${rest} not valid.`;
    return rest === 0 ? text : { kind: "warn", text };
  },
  check: async ({ ctx }, ids) => {
    const result = await bulkCheckCertificates({ ctx, input: { certificate_ids: ids } });
    if (result.processed === 0) return MISSING;
    const { overall_passed: passed, overall_failed: failed, overall_score: score } = result;
    const text = `${
      counted(result.processed, "certificate")
    } checked: ${passed} passed, ${failed} failed (score ${score} %).`;
    return failed === 0 ? text : {
      kind: "warn",
      text,
      ...(isGranted(ctx, "view", checks.objectType)
        ? { link: { label: "View failed checks", path: `${listPath(checks)}?result=fail` } }
        : {}),
    };
  },
  assign: (call, ids) => assignPage(call, ids),
  assign_to: assignTo,
  contact: (call, ids) => contactPage(call, ids),
  tell: (call, ids) => tellPage(call, ids),
  tell_now: tellFromForm,
  contact_to: (call, ids) =>
    orAgain(async () => {
      const { ctx, form } = call;
      const [contact, role] = await Promise.all([
        postedReference(call, [contacts], "contact"),
        postedReference(call, [contactRoles], "role"),
      ]);
      if (contact === undefined) throw invalidField("contact", "choose", { what: "a contact" });
      const { created_count: created, skipped_count: skipped } = await assignContact({
        ctx,
        input: {
          certificate_ids: ids,
          contact: contact.id,
          role: role?.id ?? null,
          priority: textOf(form, "priority") || null,
        },
      });
      if (created + skipped === 0) return MISSING;
      if (created === 0) return unchanged("Nothing changed: all have this contact in this role.");
      return `Contact assigned to ${counted(created, "certificate")}${
        skipped === 0 ? "" : `; ${skipped} had it already`
      }.`;
    }, (errors) => contactPage(call, ids, errors)),
  export: async ({ ctx, form }, ids) => {
    const params = new URLSearchParams({ format: textOf(form, "format"), ids: ids.join(",") });
    return await download(ctx, await exportCertificates({ ctx, params }));
  },
};

/** Assigns certificates; on errors, the form is shown again. */
function assignTo(call: Call, ids: readonly number[]): ReturnType<Action> {
  const { ctx, form } = call;
  return orAgain(async () => {
    const chosen = await postedReference(call, TARGETS, "assigned_object");
    if (chosen === undefined) throw invalidField("assigned_object", "choose", { what: "an object" });
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
  }, (errors) => assignPage(call, ids, withJoinedErrors(assignments, errors)));
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
  /** Undoes the action of a request; returns the number of objects. */
  readonly run: (call: Call, input: { request_id: string }) => Promise<number>;
  readonly report: (count: number) => string;
}

/** Undoing an edit is the same for all lists, and each list has a URL for it. */
type OwnAction = Exclude<Undoable["action"], "edit">;

const UNDO_ACTIONS: Readonly<Record<OwnAction, UndoAction>> = {
  status: {
    may: mayBulk,
    run: async ({ ctx }, input) => (await undoStatusUpdate({ ctx, input })).restored_count,
    report: (count) => `${counted(count, "certificate")} restored to the previous status.`,
  },
  assign_to: {
    may: (call) => mayBulk(call) && may(call, assignments, "delete"),
    run: async ({ ctx }, input) => (await undoBulkAssign({ ctx, input })).removed_count,
    report: (count) => `${counted(count, "assignment")} removed again.`,
  },
  contact_to: {
    may: (call) => may(call, contactAssignments, "delete"),
    run: async ({ ctx }, input) => (await undoAssignContact({ ctx, input })).removed_count,
    report: (count) => `Contact removed again from ${counted(count, "certificate")}.`,
  },
};

function isUndoable(name: string): name is OwnAction {
  return Object.hasOwn(UNDO_ACTIONS, name);
}

/** Undoes the bulk action that the message on the page reported. */
export async function undoBulkAction(call: Call): Promise<Response> {
  const back = backOf(call, certificates);
  const name = textOf(call.form, "action");
  if (!(isUndoable(name) ? UNDO_ACTIONS[name].may : mayBulk)(call)) throw forbidden();
  if (!isUndoable(name)) return refused(call, back, "This action cannot be undone.");
  const { run, report } = UNDO_ACTIONS[name];
  return await attempt({ call, back, codes: ["invalid", "conflict"] }, async () => {
    const count = await run(call, { request_id: textOf(call.form, "request_id") });
    return count === 0
      ? refused(call, back, "Nothing left to undo: the objects have changed since.")
      : done(call, back, report(count));
  });
}

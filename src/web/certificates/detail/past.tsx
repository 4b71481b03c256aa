/** The certificates that a certificate replaced, and its history, which includes these renewals. */

import { isGranted } from "../../../auth/mod.ts";
import { certificates } from "../../../domain/certificates/mod.ts";
import { objectChanges } from "../../../domain/system/object_changes/mod.ts";
import type { Call } from "../../call.ts";
import type { Html } from "../../components/mod.ts";
import {
  type ApiObject,
  historySection,
  ObjectLink,
  readRows,
  type RelatedChange,
} from "../../objects/mod.ts";

/** Number of changes of replaced certificates that are read. */
const READ_CHANGES = 20;

/** Returns the replaced certificates, the earliest expiry first, and the history. */
export async function loadPast(
  call: Call,
  id: number,
): Promise<{ predecessors: readonly ApiObject[]; history: Html | null }> {
  const params = { replaced_by_id: id, ordering: "valid_to", limit: 5 };
  const fields = ["id", "url", "display", "common_name"];
  const { rows: predecessors } = await readRows(call, certificates, { params, fields });
  const related = await loadReplacements(call, id, predecessors);
  return {
    predecessors,
    history: await historySection(call, certificates, {
      id,
      related,
      where: { history_of_certificate: String(id) },
    }),
  };
}

/**
 * Returns the changes by which a certificate replaced others; which are recorded for the replaced ones. At most one
 * statement.
 */
async function loadReplacements(
  call: Call,
  id: number,
  predecessors: readonly ApiObject[],
): Promise<RelatedChange[]> {
  if (predecessors.length === 0 || !isGranted(call.ctx, "view", objectChanges.objectType)) return [];
  const byId = new Map(predecessors.map((one) => [one.id, one]));
  const params = {
    changed_object_type: certificates.objectType,
    changed_object_id: [...byId.keys()],
    action: "update",
    ordering: "-id",
    limit: READ_CHANGES,
  };
  const { rows } = await readRows<RecordedChange>(call, objectChanges, { params });
  return rows.filter(({ prechange_data: before, postchange_data: after }) =>
    after?.replaced_by === id && before?.replaced_by !== id
  ).map((row) => ({
    ...row,
    text: (
      <>
        Replaced <ObjectLink brief={byId.get(row.changed_object_id)} />
      </>
    ),
  }));
}

interface RecordedChange extends Omit<RelatedChange, "text"> {
  readonly changed_object_id: number;
  readonly prechange_data: Readonly<Record<string, unknown>> | null;
  readonly postchange_data: Readonly<Record<string, unknown>> | null;
}

/**
 * Returns when a certificate became revoked in the inventory; undefined if it is not revoked, was created so, or if the
 * user may not view the change log. At most one statement.
 */
export async function loadRevokedAt(call: Call, { id, status }: ApiObject): Promise<string | undefined> {
  if (status !== "revoked" || !isGranted(call.ctx, "view", objectChanges.objectType)) return undefined;
  const params = {
    changed_object_type: certificates.objectType,
    changed_object_id: id,
    action: "update",
    ordering: "-id",
    limit: READ_CHANGES,
  };
  const { rows } = await readRows<RecordedChange>(call, objectChanges, { params });
  return rows.find(({ prechange_data: before, postchange_data: after }) =>
    after?.status === "revoked" && before?.status !== "revoked"
  )?.time;
}

/** The certificates that a certificate replaced, and its history, which includes these renewals. */

import type { Known } from "./known.ts";
import { isGranted } from "../../../../auth/mod.ts";
import { type Certificate, certificates } from "../../../../domain/certificates/mod.ts";
import { objectChanges } from "../../../../domain/system/object_changes/mod.ts";
import type { Call } from "../../../call.ts";
import type { Html } from "../../../kit/components/mod.ts";
import { historySection, readRows } from "../../../kit/mod.ts";

/** Number of changes that are read. */
const READ_CHANGES = 20;

/** Returns the replaced certificates, the earliest expiry first, and the history. */
export async function loadPast(
  call: Call,
  id: number,
): Promise<{ predecessors: Known["predecessors"]; history: Html | null }> {
  const params = { replaced_by_id: id, ordering: "valid_to", limit: 5 };
  const fields = ["id", "url", "display", "common_name"] as const;
  const { rows: predecessors } = await readRows(call, certificates, { params, fields });
  const where = { history_of_certificate: String(id) };
  return { predecessors, history: await historySection(call, certificates, { id, predecessors, where }) };
}

/**
 * Returns when a certificate became revoked in the inventory; undefined if it is not revoked, was created so, or if the
 * user may not view the change log. At most one statement.
 */
export async function loadRevokedAt(call: Call, { id, status }: Certificate): Promise<string | undefined> {
  if (status !== "revoked" || !isGranted(call.ctx, "view", objectChanges.objectType)) return undefined;
  const params = {
    changed_object_type: certificates.objectType,
    changed_object_id: id,
    action: "update",
    ordering: "-id",
    limit: READ_CHANGES,
  };
  const { rows } = await readRows(call, objectChanges, { params });
  return rows.find(({ prechange_data: before, postchange_data: after }) =>
    after?.status === "revoked" && before?.status !== "revoked"
  )?.time;
}

/** The text of an edit conflict. */

import { isGranted } from "../../../auth/mod.ts";
import { objectChanges } from "../../../domain/system/object_changes/mod.ts";
import type { Resource } from "../../../resource/mod.ts";
import type { Call } from "../../call.ts";
import { readRows } from "../list/read_list.ts";
import { nounOf } from "../../type_label.ts";

/**
 * Returns the text, with the user who has changed the object if the current user may view the change log. At most one
 * statement.
 */
export async function conflictText(
  call: Call,
  { resource, id }: { resource: Resource; id: number },
): Promise<string> {
  const name = await lastEditor(call, { resource, id });
  const change = name === undefined
    ? `This ${nounOf(resource)} was changed`
    : `${name} changed this ${nounOf(resource)}`;
  return `${change} after you opened the form. Compare the two versions, then save yours or cancel.`;
}

/** Returns the name of the user who changed an object last; undefined if it is not known. */
async function lastEditor(
  call: Call,
  { resource, id }: { resource: Resource; id: number },
): Promise<string | undefined> {
  if (!isGranted(call.ctx, "view", objectChanges.objectType)) return undefined;
  const params = {
    changed_object_type: resource.objectType,
    changed_object_id: String(id),
    ordering: "-id",
    limit: 1,
  };
  const { rows: [last] } = await readRows(call.ctx, objectChanges, { params, fields: ["id", "user_name"] });
  return (last?.user_name ?? "") || undefined;
}

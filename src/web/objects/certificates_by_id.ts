/** Reads the certificates to which the rows of a list refer. */

import { isGranted } from "../../auth/mod.ts";
import { certificates } from "../../domain/certificates/mod.ts";
import type { Call } from "../call.ts";
import { readRows } from "./read_list.ts";
import type { ApiObject } from "./view.ts";

/** Reads those that the user may view, in any state. One statement; none without ids. */
export async function certificatesById(
  call: Call,
  given: readonly number[],
  fields: readonly string[],
): Promise<ReadonlyMap<unknown, ApiObject>> {
  const ids = [...new Set(given)];
  if (ids.length === 0 || !isGranted(call.ctx, "view", certificates.objectType)) return new Map();
  // With `start`, a list is not counted.
  const params = { id: ids, archived: "any", start: 0, limit: ids.length };
  const { rows } = await readRows(call, certificates, { params, fields });
  return new Map(rows.map((row) => [row.id, row]));
}

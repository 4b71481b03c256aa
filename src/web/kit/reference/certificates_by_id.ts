/** Reads the certificates to which the rows of a list refer. */

import { isGranted } from "../../../auth/mod.ts";
import { type Certificate, certificates } from "../../../domain/certificates/mod.ts";
import type { Call } from "../../call.ts";
import { type Chosen, readColumns } from "../list/read_list.ts";

/** Reads those that the user may view, in any state. One statement; none without ids. */
export async function certificatesById<const Name extends string & keyof Certificate>(
  call: Call,
  given: readonly number[],
  fields: readonly Name[],
  columns: readonly string[] = [],
): Promise<ReadonlyMap<unknown, Chosen<Certificate, Name | "id">>> {
  const ids = [...new Set(given)];
  if (ids.length === 0 || !isGranted(call.ctx, "view", certificates.objectType)) return new Map();
  // With `start`, a list is not counted.
  const params = { id: ids, archived: "any", start: 0, limit: ids.length };
  const { rows } = await readColumns(call, certificates, { params, fields: ["id", ...fields], columns });
  return new Map(rows.map((row) => [row.id, row]));
}

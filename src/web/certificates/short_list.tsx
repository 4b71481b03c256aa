/** A short list of certificates as a section of another page. */

import { certificates } from "../../domain/certificates/mod.ts";
import type { Call } from "../call.ts";
import { type Html, Table } from "../components/mod.ts";
import { type ApiObject, type Params, readRows } from "../objects/mod.ts";
import { certificateColumns, neededFields } from "./columns.tsx";
import { withAssignedTo } from "./assigned_to.tsx";
import { REVOKED_USED, usedParams } from "./list_defaults.ts";

/**
 * Reads and renders the certificates in use that match a filter, next to expire first, and with `withRevoked` above them
 * those that were revoked but are still assigned or served.
 */
export async function certificateTable(
  call: Call,
  { params, columns, limit, withRevoked = false }: {
    params: Params;
    columns: readonly string[];
    limit: number;
    withRevoked?: boolean;
  },
): Promise<{ rows: readonly ApiObject[]; count: number; table: Html }> {
  const read = async (selected: Params): Promise<{ rows: readonly ApiObject[]; count: number }> =>
    await readRows(call, certificates, {
      params: { ...selected, ordering: "valid_to", limit },
      fields: neededFields(columns),
    });
  const [found, revoked] = await Promise.all([
    read({ ...usedParams(params), ...(withRevoked ? { status__n: "revoked" } : {}) }),
    withRevoked ? read({ ...params, ...REVOKED_USED }) : undefined,
  ]);
  const shown = [...revoked?.rows ?? [], ...found.rows].slice(0, limit);
  const rows = columns.includes("assigned_to") ? await withAssignedTo(call, shown) : shown;
  const table = (
    <Table
      caption="Certificates"
      rows={rows}
      columns={certificateColumns(call, columns)}
      dense
    />
  );
  return { rows, count: found.count + (revoked?.count ?? 0), table };
}

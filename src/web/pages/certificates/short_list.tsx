/** A short list of certificates as a section of another page. */

import type { Call } from "../../call.ts";
import { type Html, Table } from "../../kit/components/mod.ts";
import type { Params } from "../../kit/mod.ts";
import { certificateColumns, type ListedCertificate, readListed } from "./columns.tsx";
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
): Promise<{ rows: readonly ListedCertificate[]; count: number; table: Html }> {
  const read = (selected: Params): ReturnType<typeof readListed> =>
    readListed(call, { params: { ...selected, ordering: "valid_to", limit }, columns });
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

/** A short list of certificates as a section of another page. */

import { certificates } from "../../domain/certificates/mod.ts";
import type { Call } from "../call.ts";
import { type Html, Table } from "../components/mod.ts";
import { type ApiObject, type Params, readRows } from "../objects/mod.ts";
import { certificateColumns, neededFields } from "./columns.tsx";
import { withInstalledOn } from "./installed_on.tsx";
import { currentParams } from "./list_defaults.ts";

/** Reads and renders the current certificates that match a filter, next to expire first. */
export async function certificateTable(
  call: Call,
  { params, columns }: { params: Params; columns: readonly string[] },
): Promise<{ rows: readonly ApiObject[]; count: number; table: Html }> {
  const found = await readRows(call, certificates, {
    params: { ...currentParams(params), ordering: "valid_to" },
    fields: neededFields(columns),
  });
  const rows = columns.includes("installed_on") ? await withInstalledOn(call, found.rows) : found.rows;
  const table = (
    <Table
      caption="Certificates"
      rows={rows}
      columns={certificateColumns(call, columns)}
      dense
    />
  );
  return { rows, count: found.count, table };
}

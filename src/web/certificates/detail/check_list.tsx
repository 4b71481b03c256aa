/** Compliance results of a certificate. */

import { isGranted } from "../../../auth/mod.ts";
import { checks } from "../../../domain/compliance/mod.ts";
import type { Call } from "../../call.ts";
import { Badge, EmptyState, type Html, Table, Time } from "../../components/mod.ts";
import { type ApiObject, ObjectLink, readRows } from "../../objects/mod.ts";

/** Results that the page shows. */
const SHOWN = 50;

/** Reads the results of a certificate, failures first; undefined if the user may view none. */
export async function loadChecks(call: Call, id: number): Promise<readonly ApiObject[] | undefined> {
  if (!isGranted(call.ctx, "view", checks.objectType)) return undefined;
  const params = { certificate_id: id, ordering: "result", limit: SHOWN };
  return (await readRows(call, checks, { params })).rows;
}

/** Renders the results. */
export function CheckList({ id, rows }: { id: number; rows: readonly ApiObject[] }): Html {
  return (
    <section aria-labelledby="checks">
      <h2 id="checks">Compliance</h2>
      {rows.length === 0 ? <EmptyState text="No compliance checks yet." /> : (
        <Table
          caption="Compliance"
          rows={rows}
          columns={[
            { label: "Policy", cell: (row) => <ObjectLink brief={row.policy} /> },
            { label: "Result", cell: (row) => <Badge value={String(row.result)} /> },
            { label: "Message", cell: (row) => String(row.message) },
            { label: "Checked", cell: (row) => <Time at={row.checked_at as string} />, wide: true },
          ]}
        />
      )}
      {rows.length < SHOWN ? null : (
        <p>
          <a href={`/checks/?certificate_id=${id}`}>View all results</a>
        </p>
      )}
    </section>
  );
}

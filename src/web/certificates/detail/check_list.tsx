/** Compliance results of a certificate. */

import { isGranted } from "../../../auth/mod.ts";
import { checks, policies } from "../../../domain/compliance/mod.ts";
import type { Call } from "../../call.ts";
import { Badge, EmptyState, Form, type Html, Icon, Table, Time } from "../../components/mod.ts";
import { type ApiObject, ObjectLink, readRows } from "../../objects/mod.ts";

/** Results that the page shows. */
const SHOWN = 50;

/** Reads the results of a certificate, failures first; undefined if the user may view none. */
export async function loadChecks(call: Call, id: number): Promise<readonly ApiObject[] | undefined> {
  if (!isGranted(call.ctx, "view", checks.objectType)) return undefined;
  const params = { certificate_id: id, ordering: "result", limit: SHOWN };
  return (await readRows(call, checks, { params })).rows;
}

/** Says once when the newest of the results was found. */
function LastChecked({ rows }: { rows: readonly ApiObject[] }): Html | null {
  const newest = rows.map(({ checked_at }) => String(checked_at)).sort().at(-1);
  if (newest === undefined) return null;
  return (
    <p class="faint">
      Checked <Time at={newest} />
    </p>
  );
}

/** Renders failures, then the other results in a collapsed list, and the button that checks again. */
export function CheckList(
  { call, id, rows }: { call: Call; id: number; rows: readonly ApiObject[] },
): Html {
  const failed = rows.filter(({ result }) => result !== "pass");
  const passed = rows.filter(({ result }) => result === "pass");
  return (
    <section aria-labelledby="checks">
      <h2 id="checks">Compliance</h2>
      {rows.length === 0 ? <EmptyState text="No compliance checks yet." /> : null}
      {failed.length === 0 ? null : <Results caption="Compliance" rows={failed} />}
      {passed.length === 0 ? null : (
        <details class="box">
          <summary>{passed.length === 1 ? "1 policy passed" : `${passed.length} policies passed`}</summary>
          <Results caption="Passed policies" rows={passed} />
        </details>
      )}
      <LastChecked rows={rows} />
      {rows.length < SHOWN ? null : (
        <p>
          <a href={`/checks/?certificate_id=${id}`}>View all results</a>
        </p>
      )}
      {isGranted(call.ctx, "manage_compliance", policies.objectType)
        ? (
          <Form call={call} action={`/certificates/${id}/check/`} class="inline">
            <button type="submit" class="secondary">
              <Icon name="check" />Check compliance
            </button>
          </Form>
        )
        : null}
    </section>
  );
}

function Results({ caption, rows }: { caption: string; rows: readonly ApiObject[] }): Html {
  return (
    <Table
      caption={caption}
      rows={rows}
      columns={[
        { label: "Policy", cell: (row) => <ObjectLink brief={row.policy} /> },
        { label: "Result", cell: (row) => <Badge value={String(row.result)} /> },
        {
          label: "Message",
          cell: (row) => String(row.message),
          priority: 2,
          under: (row) => String(row.message),
        },
      ]}
    />
  );
}

/** The endpoints that serve a certificate, and those that still serve the ones it replaces. */

import { isGranted } from "../../../auth/mod.ts";
import { endpoints } from "../../../domain/endpoints/mod.ts";
import type { Call } from "../../call.ts";
import { Badge, type Html, Table } from "../../components/mod.ts";
import { type ApiObject, ObjectLink, readRows } from "../../objects/mod.ts";
import { objectPath } from "../../paths.ts";

/** Number of endpoints of each kind that are read; the page shows fewer. */
const READ = 500;
const SHOWN = 25;

/** Endpoints that the user may view. */
export interface ServingEndpoints {
  readonly here: readonly ApiObject[];
  /** Endpoints that serve a certificate that this one replaces. */
  readonly behind: readonly ApiObject[];
}

/** Reads the endpoints; undefined if the user may view none. Two statements. */
export async function loadServed(call: Call, id: number): Promise<ServingEndpoints | undefined> {
  if (!isGranted(call.ctx, "view", endpoints.objectType)) return undefined;
  const fields = ["id", "url", "display", "state", "assigned_object"];
  // With `start`, a list is not counted.
  const read = async (name: string): Promise<readonly ApiObject[]> =>
    (await readRows(call, endpoints, { params: { [name]: id, start: 1, limit: READ }, fields })).rows;
  const [here, behind] = await Promise.all([read("certificate_id"), read("certificate__replaced_by_id")]);
  return { here, behind };
}

/** Renders the section; nothing for a certificate that no endpoint serves. */
export function ServedBy(
  { id, served: { here, behind } }: { id: number; served: ServingEndpoints },
): Html | null {
  const all = here.length + behind.length;
  if (all === 0) return null;
  return (
    <section aria-labelledby="served">
      <h2 id="served">Served by</h2>
      {behind.length === 0 ? null : (
        <p>
          <Badge value={`deployed on ${here.length} of ${all}`} tone="warn" />{" "}
          The other endpoints still serve the certificate that this one replaces.
        </p>
      )}
      <Table
        caption="Served by"
        rows={[...behind, ...here].slice(0, SHOWN)}
        columns={[
          { label: "Endpoint", cell: (row) => <a href={objectPath(endpoints, row.id)}>{row.display}</a> },
          { label: "State", cell: (row) => <Badge value={String(row.state)} /> },
          {
            label: "Object",
            cell: (row) => row.assigned_object === null ? "" : <ObjectLink brief={row.assigned_object} />,
            priority: 2,
          },
        ]}
      />
      {all <= SHOWN ? null : (
        <p>
          <a href={`/endpoints/?certificate_id=${id}`}>View all endpoints</a>
        </p>
      )}
    </section>
  );
}

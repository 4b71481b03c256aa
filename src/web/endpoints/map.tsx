/** Where certificates are served: from certificates to endpoints to the objects behind them. */

import { endpoints } from "../../domain/endpoints/mod.ts";
import type { Call } from "../call.ts";
import { Badge, EmptyState, type Html, Pager, Table } from "../components/mod.ts";
import { type ApiObject, ObjectLink, readListing } from "../objects/mod.ts";
import { listPath, objectPath } from "../paths.ts";
import { page } from "../shell/mod.ts";

/** Endpoints on a page. */
const SHOWN = 200;
const FIELDS = ["id", "display", "state", "certificate", "expected_certificate", "assigned_object"];

/** Endpoints of one certificate; null: the inventory does not have it, or nothing was served yet. */
interface Group {
  readonly id?: unknown;
  readonly certificate: ApiObject | null;
  readonly served: ApiObject[];
}

/** Renders the map, by certificate. Filters of the list of endpoints apply, as parameters of the address. */
export async function mapPage(call: Call): Promise<Response> {
  const { url, rows, count, limit, offset } = await readListing(call, endpoints, {
    fields: FIELDS,
    withDefaults: (params) => {
      if (!params.has("limit")) params.set("limit", String(SHOWN));
      if (!params.has("ordering")) params.set("ordering", "certificate");
    },
  });
  return page(
    call,
    { title: "Served certificates", above: [["Endpoints", listPath(endpoints)]] },
    rows.length === 0 ? <EmptyState text="No endpoints. Add one to see which certificate it serves." /> : (
      <>
        <Table
          caption="Served certificates"
          rows={groupsOf(rows)}
          columns={[
            { label: "Certificate", cell: Certificate },
            { label: "Endpoints and objects", cell: Served },
          ]}
        />
        <Pager url={url} count={count} limit={limit} offset={offset} />
      </>
    ),
  );
}

function groupsOf(rows: readonly ApiObject[]): Group[] {
  const groups = new Map<unknown, Group>();
  for (const row of rows) {
    const certificate = row.certificate as ApiObject | null;
    const key = certificate?.id ?? (row.state === "wrong_certificate" ? "unknown" : null);
    const group = groups.get(key) ?? { certificate, served: [] };
    groups.set(key, group);
    group.served.push(row);
  }
  return [...groups.values()];
}

function Certificate({ certificate, served }: Group): Html {
  if (certificate !== null) return <ObjectLink brief={certificate} />;
  return <>{served[0]?.state === "wrong_certificate" ? "Not in the inventory" : "None was served"}</>;
}

function Served({ served }: Group): Html {
  return (
    <>
      {served.map((row) => (
        <div>
          <a href={objectPath(endpoints, row.id)}>{row.display}</a> <Badge value={String(row.state)} />
          {row.assigned_object === null ? null : (
            <>
              {" → "}
              <ObjectLink brief={row.assigned_object} />
            </>
          )}
          {isExpected(row) ? null : (
            <>
              {", expected: "}
              <ObjectLink brief={row.expected_certificate} />
            </>
          )}
        </div>
      ))}
    </>
  );
}

function isExpected({ certificate, expected_certificate: expected }: ApiObject): boolean {
  return expected === null ||
    (certificate as ApiObject | null)?.id === (expected as ApiObject).id;
}

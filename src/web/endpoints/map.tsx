/** Where certificates are served: from certificates to endpoints to the objects behind them. */

import { endpoints, PROBLEMS } from "../../domain/endpoints/mod.ts";
import { certificates } from "../../domain/certificates/mod.ts";
import { isGranted } from "../../auth/mod.ts";
import type { Call } from "../call.ts";
import {
  Badge,
  type Column,
  EmptyState,
  Expiry,
  type Html,
  Pager,
  Table,
  truncate,
} from "../components/mod.ts";
import {
  activeFilters,
  type ApiObject,
  FilterChips,
  FilterForm,
  ObjectLink,
  readListing,
  readRows,
  Sentence,
} from "../objects/mod.ts";
import { listPath, objectPath } from "../paths.ts";
import { page } from "../shell/mod.ts";
import { BRIEF_SENTENCES } from "./brief_sentences.ts";

/** Endpoints on a page. */
const SHOWN = 200;
const FIELDS = [
  "id",
  "display",
  "state",
  "state_message",
  "certificate",
  "expected_certificate",
  "assigned_object",
];
const PATH = "/endpoints/map/";

/** An endpoint, with the certificate that it served. */
interface Served {
  readonly id: number;
  readonly endpoint: ApiObject;
  /** Undefined if the user may not view it. */
  readonly certificate: ApiObject | undefined;
}

/** Renders the map, by certificate. Filters of the list of endpoints apply, as parameters of the address. */
export async function mapPage(call: Call): Promise<Response> {
  const { url, rows, count, limit, offset, errors } = await readListing(call, endpoints, {
    fields: FIELDS,
    withDefaults: (params) => {
      if (!params.has("limit")) params.set("limit", String(SHOWN));
      if (!params.has("ordering")) params.set("ordering", "certificate");
    },
  });
  const [byId, active] = await Promise.all([
    certificatesOf(call, rows),
    activeFilters(call, { url, resource: endpoints, filters: [], except: ["problem"] }),
  ]);
  const all = rows.map((endpoint): Served => ({
    id: endpoint.id,
    endpoint,
    certificate: byId.get((endpoint.certificate as ApiObject | null)?.id),
  }));
  const isKnown = ({ endpoint }: Served): boolean => endpoint.certificate !== null;
  const [seen, unseen] = [all.filter(isKnown), all.filter((one) => !isKnown(one))];
  return page(
    call,
    { title: "Endpoints by certificate", above: [["Endpoints", listPath(endpoints)]] },
    <>
      <div class="list-bar">
        <FilterForm url={url} search="endpoints" filters={[]} errors={errors} />
        <Choice url={url} />
        <div class="grow"></div>
        <Pager url={url} count={count} limit={limit} offset={offset} label="Pages, above the list" />
      </div>
      <FilterChips url={url} active={active} />
      {rows.length === 0
        ? <EmptyState text="No endpoints. Add one to see which certificate it serves." />
        : (
          <>
            {seen.length === 0 ? null : (
              <Table
                caption="Served certificates"
                dense
                rows={seen}
                columns={[CERTIFICATE, ...COLUMNS]}
              />
            )}
            {unseen.length === 0 ? null : (
              <section aria-labelledby="unseen" class="titled">
                <h2 id="unseen">No certificate of the inventory seen: {unseen.length}</h2>
                <Table
                  caption="No certificate of the inventory seen"
                  dense
                  rows={unseen}
                  columns={COLUMNS}
                />
              </section>
            )}
            <Pager url={url} count={count} limit={limit} offset={offset} />
          </>
        )}
    </>,
  );
}

/** Reads the certificates that endpoints served; one statement for the page. */
async function certificatesOf(
  call: Call,
  rows: readonly ApiObject[],
): Promise<ReadonlyMap<unknown, ApiObject>> {
  const ids = rows.flatMap(({ certificate }) => certificate === null ? [] : (certificate as ApiObject).id);
  if (ids.length === 0 || !isGranted(call.ctx, "view", certificates.objectType)) return new Map();
  const found = await readRows(call, certificates, {
    params: { id: [...new Set(ids)], archived: "any", limit: SHOWN },
    fields: ["id", "display", "common_name", "valid_to", "days_remaining", "expiry_status"],
  });
  return new Map(found.rows.map((row) => [row.id, row]));
}

/** Renders links to all endpoints and to those with problems. */
function Choice({ url }: { url: URL }): Html {
  const problems = url.searchParams.has("problem");
  return (
    <nav class="choice" aria-label="Endpoints shown">
      <a href={PATH} aria-current={problems ? undefined : "page"}>All</a>
      <a
        href={`${PATH}?${PROBLEMS.map((problem) => `problem=${problem}`).join("&")}`}
        aria-current={problems ? "page" : undefined}
      >
        Problems
      </a>
    </nav>
  );
}

const CERTIFICATE: Column<Served> = {
  label: "Certificate",
  cell: ({ endpoint, certificate }) => (
    <ObjectLink
      brief={endpoint.certificate}
      {...(certificate === undefined ? {} : { shown: truncate(String(certificate.common_name)) })}
    />
  ),
};

const COLUMNS: readonly Column<Served>[] = [
  {
    label: "Served at",
    cell: (served) => (
      <a href={objectPath(endpoints, served.endpoint.id)} class="object" title={served.endpoint.display}>
        <bdi>{placeOf(served)}</bdi>
      </a>
    ),
    width: "share",
    priority: 2,
    under: placeOf,
  },
  {
    label: "State",
    cell: State,
    width: "sentence-share",
    priority: 2,
    under: State,
  },
  {
    label: "Expires",
    cell: ({ certificate }) => certificate === undefined ? "" : <Expiry row={certificate} />,
    width: "wide-share",
    priority: 3,
  },
  {
    label: "Installed on",
    cell: ({ endpoint }) =>
      endpoint.assigned_object === null ? "" : <ObjectLink brief={endpoint.assigned_object} />,
    width: "share",
    priority: 3,
  },
];

/** Returns the address of an endpoint, or only its port if its host is the name of the certificate. */
function placeOf({ endpoint, certificate }: Served): string {
  const port = endpoint.display.slice(endpoint.display.lastIndexOf(":") + 1);
  return endpoint.display === `${certificate?.common_name}:${port}`
    ? `port ${port}`
    : truncate(endpoint.display);
}

/** States that need no sentence here: all is well, or the next column has the date. */
const SAID: ReadonlySet<unknown> = new Set(["ok", "expired", "expiring"]);

/** Renders the state of an endpoint with its reason, and the expected certificate if it served another one. */
function State({ endpoint }: Served): Html {
  const { state, state_message: message } = endpoint;
  const text = SAID.has(state) ? "" : BRIEF_SENTENCES[String(state)] ?? String(message);
  return (
    <div class="explained" title={String(message)}>
      <Badge value={String(state)} />
      <span class="sentence">
        <Sentence text={text} /> {isExpected(endpoint) ? null : (
          <>
            Expected: <ObjectLink brief={endpoint.expected_certificate} />
          </>
        )}
      </span>
    </div>
  );
}

function isExpected({ certificate, expected_certificate: expected }: ApiObject): boolean {
  return expected === null ||
    (certificate as ApiObject | null)?.id === (expected as ApiObject).id;
}

/** Columns of the map of endpoints: a certificate, its endpoints, and differences from the expected state. */

import { endpoints } from "../../domain/endpoints/mod.ts";
import { Badge, type Column, Expiry, type Html, Name, spokenName, truncate } from "../components/mod.ts";
import { type ApiObject, ObjectLink, Sentence } from "../objects/mod.ts";
import { objectPath } from "../paths.ts";
import { BRIEF_SENTENCES } from "./brief_sentences.ts";

/** Endpoints with the certificate that they served, the worst first. */
export interface Served {
  readonly id: number;
  readonly endpoints: readonly ApiObject[];
  /** Undefined if the user may not view it. */
  readonly certificate: ApiObject | undefined;
}

const CERTIFICATE: Column<Served> = {
  label: "Certificate",
  cell: ({ endpoints: [first], certificate }) => (
    <ObjectLink
      brief={first?.certificate}
      {...(certificate === undefined ? {} : { shown: truncate(String(certificate.common_name)) })}
    />
  ),
};

const PLACES: Column<Served> = {
  label: "Served at",
  cell: Places,
  width: "wide-share",
  priority: 2,
  under: Places,
};

const RESULT: Column<Served> = {
  label: "Result",
  cell: Result,
  width: "sentence-share",
  priority: 2,
  under: Result,
};

const INSTALLED: Column<Served> = {
  label: "Installed on",
  cell: ({ endpoints: all }) => {
    const objects = new Map(
      all.flatMap(({ assigned_object: object }) =>
        object === null ? [] : [[(object as ApiObject).display, object]]
      ),
    );
    const [first, ...others] = objects.values();
    return first === undefined ? "" : (
      <>
        <ObjectLink brief={first} />
        {others.length === 0
          ? null
          : <span class="faint" title={[...objects.keys()].join(", ")}>+ {others.length}</span>}
      </>
    );
  },
  width: "share",
  priority: 4,
};

export const COLUMNS: readonly Column<Served>[] = [
  CERTIFICATE,
  PLACES,
  RESULT,
  {
    label: "Expires",
    cell: ({ certificate }) => certificate === undefined ? "" : <Expiry row={certificate} />,
    width: "wide-share",
    priority: 2,
    under: ({ certificate }) => certificate === undefined ? "" : <Expiry row={certificate} />,
  },
  INSTALLED,
];

/** Columns of endpoints without a certificate: the endpoint is the name of a row. */
export const UNSEEN: readonly Column<Served>[] = [
  { label: "Endpoint", cell: Places },
  RESULT,
  INSTALLED,
];

/** Renders the endpoint, or the number of several, which expands to a list with their states. */
function Places({ endpoints: all }: Served): Html {
  const [first] = all;
  const link = (endpoint: ApiObject): Html => (
    <a
      href={objectPath(endpoints, endpoint.id)}
      class="object"
      title={endpoint.display}
      aria-label={spokenName(endpoint.display)}
    >
      {Name({ text: endpoint.display })}
    </a>
  );
  if (first !== undefined && all.length === 1) return link(first);
  return (
    <details class="places">
      <summary>{all.length.toLocaleString("en")} endpoints</summary>
      <ul>
        {all.map((endpoint) => (
          <li>
            {link(endpoint)}{" "}
            {endpoint.state === "ok" ? null : <Badge value={String(endpoint.state)} tone="plain" />}
          </li>
        ))}
      </ul>
    </details>
  );
}

/** States whose reason is the date in the column "Expires". */
const DATED: ReadonlySet<unknown> = new Set(["expired", "expiring"]);

/** Renders the states of the endpoints with their numbers, the reason of the worst, and the expected certificate. */
function Result({ endpoints: all }: Served): Html {
  const [worst] = all as readonly [ApiObject];
  const byState = [...Map.groupBy(all, ({ state }) => String(state))];
  if (worst.state === "ok" && isExpected(worst)) return <Badge value="ok" />;
  // The expiry has a column.
  const text = DATED.has(worst.state)
    ? ""
    : BRIEF_SENTENCES[String(worst.state)] ?? String(worst.state_message);
  const other = all.find((endpoint) => !isExpected(endpoint));
  return (
    <div class="explained" title={String(worst.state_message)}>
      {byState.map(([state, ones]) => (
        <span class="whole">
          <Badge value={state} />
          {all.length === 1 ? null : <span class="faint">{` ${ones.length} of ${all.length}`}</span>}
        </span>
      ))}
      <span class="sentence">
        <Sentence text={text} /> {other === undefined ? null : (
          <>
            Expected: <ObjectLink brief={other.expected_certificate} />
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

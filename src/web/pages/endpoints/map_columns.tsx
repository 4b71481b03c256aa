/** Columns of the map of endpoints: a certificate, its endpoints, their worst state and what to do about it. */

import { counted } from "../../../base/amounts.ts";
import { type Endpoint, endpoints } from "../../../domain/endpoints/mod.ts";
import { CertificateName } from "../certificates/mod.ts";
import { Badge, type Column, type Html, Name, spokenName } from "../../kit/components/mod.ts";
import { ObjectLink } from "../../kit/mod.ts";
import { objectPath } from "../../paths.ts";
import { EXPIRES, type ListedEndpoint, type STATE_FIELDS, StateBrief, StateCell } from "./state_cell.tsx";

/** The fields of an endpoint on the map. */
export type MappedEndpoint = ListedEndpoint<
  Pick<Endpoint, "id" | "display" | "severity" | "assigned_object" | (typeof STATE_FIELDS)[number]>
>;

/** Endpoints with the certificate that they serve, the worst first. */
export interface Served {
  readonly id: number;
  readonly endpoints: readonly [MappedEndpoint, ...MappedEndpoint[]];
}

const PLACES: Column<Served> = {
  label: "Served at",
  cell: Places,
  layout: ["p2", "wide-share"],
  under: Places,
};

const STATE: Column<Served> = {
  label: "State, next step",
  cell: States,
  layout: ["p2", "sentence-share"],
  under: ({ endpoints: [worst] }) => <StateBrief endpoint={worst} />,
};

const ASSIGNED: Column<Served> = {
  label: "Assigned to",
  cell: ({ endpoints: all }) => {
    const objects = new Map(
      all.flatMap(({ assigned_object: object }) => object === null ? [] : [[object.display, object]]),
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
  layout: ["p4", "share"],
};

export const COLUMNS: readonly Column<Served>[] = [
  { label: "Certificate", cell: ({ endpoints: [first] }) => <CertificateName brief={first.certificate} /> },
  STATE,
  PLACES,
  {
    ...EXPIRES,
    cell: ({ endpoints: [first] }) => EXPIRES.cell(first),
    under: ({ endpoints: [first] }) => EXPIRES.under(first),
  },
  ASSIGNED,
];

/** Columns of endpoints without a certificate: the endpoint is the name of a row. */
export const UNSEEN: readonly Column<Served>[] = [{ label: "Endpoint", cell: Places }, STATE, ASSIGNED];

/** Renders the endpoint, or the number of several, which expands to a list with their states. */
function Places({ endpoints: all }: Served): Html {
  const link = (endpoint: MappedEndpoint): Html => (
    <a
      href={objectPath(endpoints, endpoint.id)}
      class="object"
      title={endpoint.display}
      aria-label={spokenName(endpoint.display)}
    >
      {Name({ text: endpoint.display })}
    </a>
  );
  if (all.length === 1) return link(all[0]);
  return (
    <details class="places">
      <summary>{counted(all.length, "endpoint")}</summary>
      <ul>
        {all.map((endpoint) => (
          <li>
            {link(endpoint)} <Badge value={endpoint.state} />
          </li>
        ))}
      </ul>
    </details>
  );
}

/** Renders the worst state with its next step, and the number of endpoints that have it. */
function States({ endpoints: all }: Served): Html {
  const [worst] = all;
  const same = all.filter(({ state }) => state === worst.state).length;
  return (
    <StateCell endpoint={worst}>
      {same === all.length ? null : <span class="faint whole">{same} of {all.length}</span>}
    </StateCell>
  );
}

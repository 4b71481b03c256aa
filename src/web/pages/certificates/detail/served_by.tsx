/** The endpoints that serve a certificate, still serve the ones it replaces, or should serve it. */

import type { Certificate } from "../../../../domain/certificates/mod.ts";
import { isGranted } from "../../../../auth/mod.ts";
import { counted } from "../../../../base/amounts.ts";
import {
  type Endpoint,
  endpoints,
  RIGHT_STATES,
  WITHOUT_CERTIFICATE,
} from "../../../../domain/endpoints/mod.ts";
import type { Call } from "../../../call.ts";
import {
  Badge,
  BreakableName,
  type Content,
  type Html,
  Joined,
  Table,
  truncate,
} from "../../../kit/components/mod.ts";
import { ObjectLink, readRows } from "../../../kit/mod.ts";
import { objectPath } from "../../../paths.ts";

/** Number of endpoints of each kind that are read; the page shows fewer. */
const READ = 500;
const SHOWN = 25;
/** Maximum characters of the message of an endpoint in the summary. */
const MESSAGE_CHARS = 150;
/** Number of endpoints with a problem that the summary names. */
const NAMED = 3;
/** States that need no attention, or that the summary says already: the expiry, and the successor. */
const QUIET: ReadonlySet<unknown> = new Set(["ok", "pending", "expired", "expiring", "superseded"]);

const FIELDS = ["id", "url", "display", "state", "state_message", "assigned_object"] as const;
type Serving = Pick<Endpoint, (typeof FIELDS)[number]>;

/** Endpoints that the user may view. */
export interface ServingEndpoints {
  readonly here: readonly Serving[];
  /** Endpoints that serve a certificate that this one replaces. */
  readonly behind: readonly Serving[];
  /** Endpoints that have a problem and should serve it, but serve another one or none. */
  readonly lacking: readonly Serving[];
}

/** Reads the endpoints; undefined if the user may view none. Three statements. */
export async function loadServed(call: Call, id: number): Promise<ServingEndpoints | undefined> {
  if (!isGranted(call.ctx, "view", endpoints.objectType)) return undefined;
  // With `start`, a list is not counted.
  const read = async (name: string): Promise<readonly Serving[]> =>
    (await readRows(call, endpoints, { params: { [name]: id, start: 1, limit: READ }, fields: FIELDS })).rows;
  const [here, behind, expecting] = await Promise.all([
    read("certificate_id"),
    read("certificate__replaced_by_id"),
    read("expected_certificate_id"),
  ]);
  const listed = new Set([...here, ...behind].map((row) => row.id));
  return { here, behind, lacking: expecting.filter((row) => hasProblem(row) && !listed.has(row.id)) };
}

/** Returns whether a certificate has been replaced, but endpoints still serve it. */
export function isReplacedInUse(
  { certificate: { status, replaced_by: successor }, served }: {
    readonly certificate: Pick<Certificate, "status" | "replaced_by">;
    readonly served: ServingEndpoints | undefined;
  },
): boolean {
  return (status === "replaced" || successor !== null) && (served?.here.length ?? 0) > 0;
}

function hasProblem({ state }: Pick<Endpoint, "state">): boolean {
  return !QUIET.has(state);
}

/** Returns the endpoints with a problem that is not only the expiry of the certificate. */
export function troubled({ here, lacking }: ServingEndpoints): readonly Serving[] {
  return [...lacking, ...here.filter(hasProblem)];
}

/** Where a certificate is served, compared with where it should be. */
interface Deployment {
  readonly serving: number;
  readonly expected: number;
  /** Endpoints that serve it although it is not for their names. */
  readonly others: readonly Serving[];
}

function deploymentOf({ here, behind, lacking }: ServingEndpoints): Deployment {
  const others = here.filter(({ state }) => state === "name_mismatch");
  // An endpoint with another problem does not count as deployed.
  const serving = here.filter(({ state }) => RIGHT_STATES.has(state)).length;
  const expected = here.length - others.length + behind.length + lacking.length;
  return { serving, expected, others };
}

/** Returns whether endpoints that should serve a certificate do not. */
export function isPartlyDeployed({ behind, lacking }: ServingEndpoints): boolean {
  return behind.length + lacking.length > 0;
}

/** Returns whether endpoints have a problem, or do not serve the certificate yet. */
export function hasServingFault(served: ServingEndpoints | undefined): boolean {
  return served !== undefined && (isPartlyDeployed(served) || troubled(served).length > 0);
}

/** Renders at how many endpoints a certificate is served; nothing for none. */
export function DeploymentText({ served }: { served: ServingEndpoints }): Content {
  const { here } = served;
  if (!isPartlyDeployed(served)) {
    return here.length === 0 ? "" : `Served at ${counted(here.length, "endpoint")}`;
  }
  const { serving, expected, others } = deploymentOf(served);
  const [first] = others;
  return (
    <>
      Served at {serving} of {counted(expected, "expected endpoint")}
      {first === undefined ? "" : (
        <>
          ; also found at{" "}
          {others.length === 1 ? EndpointLink(first) : <a href="#served">{others.length} endpoints</a>}{" "}
          (name mismatch)
        </>
      )}
    </>
  );
}

/** Renders which endpoints have a problem, and which one, unless the text about the deployment has it. */
export function Trouble({ served }: { served: ServingEndpoints }): Content {
  const named = isPartlyDeployed(served) ? deploymentOf(served).others : [];
  const rows = troubled(served).filter((row) => !named.includes(row));
  const [first] = rows;
  if (first === undefined) return "";
  if (rows.length === 1) {
    return served.lacking.length === 1 && !WITHOUT_CERTIFICATE.has(first.state)
      ? <>{EndpointLink(first)} serves another certificate</>
      : (
        <>
          Problem at {EndpointLink(first)}:{" "}
          <bdi>{truncate(first.state_message.replace(/\.$/, ""), MESSAGE_CHARS)}</bdi>
        </>
      );
  }
  const others = rows.length - NAMED;
  return (
    <>
      {`${counted(rows.length, "endpoint has a problem", "endpoints have problems")}: `}
      <Joined
        items={rows.slice(0, NAMED).map((row) => (
          <>
            {EndpointLink(row)} ({row.state.replaceAll("_", " ").replace(/^tls/, "TLS")})
          </>
        ))}
      />
      {others <= 0 ? "" : (
        <>
          , <a href="#served">{`${others} more`}</a>
        </>
      )}
    </>
  );
}

function EndpointLink({ id, display }: Serving): Html {
  return (
    <a href={objectPath(endpoints, id)}>
      <bdi>{BreakableName({ text: display })}</bdi>
    </a>
  );
}

/** Renders the section; nothing for a certificate without endpoints. */
export function ServedBy({ id, served }: { id: number; served: ServingEndpoints }): Html | null {
  const { here, behind, lacking } = served;
  if (here.length + behind.length + lacking.length === 0) return null;
  const { serving, expected } = deploymentOf(served);
  const rows = [
    ...behind,
    ...lacking,
    ...here.toSorted((a, b) => Number(hasProblem(b)) - Number(hasProblem(a))),
  ];
  return (
    <section aria-labelledby="served">
      <h2 id="served">Endpoints</h2>
      {isPartlyDeployed(served)
        ? (
          <p>
            <Badge value={`served at ${serving} of ${expected} expected`} tone="warn" /> {behind.length === 0
              ? null
              : `${
                counted(behind.length, "endpoint still serves", "endpoints still serve")
              } the certificate that this one replaces.`}
          </p>
        )
        : null}
      <Table
        caption="Endpoints"
        rows={rows.slice(0, SHOWN)}
        columns={[
          { label: "Endpoint", cell: EndpointLink },
          { label: "State", cell: (row) => <Badge value={row.state} /> },
          {
            label: "Object",
            cell: (row) => row.assigned_object === null ? "" : <ObjectLink brief={row.assigned_object} />,
            layout: ["p2"],
          },
        ]}
      />
      {rows.length <= SHOWN ? null : (
        <p>
          <a href={`/endpoints/?certificate_id=${id}`}>View all endpoints</a>
        </p>
      )}
    </section>
  );
}

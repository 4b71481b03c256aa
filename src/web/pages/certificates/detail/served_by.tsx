/** The endpoints that serve a certificate, still serve the ones it replaces, or should serve it. */

import { counted } from "../../../../base/amounts.ts";
import {
  deploymentOf,
  hasProblem,
  type Serving,
  type ServingEndpoints,
  troubled,
} from "../../../../domain/advice/mod.ts";
import { endpoints, WITHOUT_CERTIFICATE } from "../../../../domain/endpoints/mod.ts";
import {
  Badge,
  BreakableName,
  type Content,
  type Html,
  Joined,
  ListSection,
  truncate,
} from "../../../kit/components/mod.ts";
import { ObjectLink } from "../../../kit/mod.ts";
import { objectPath } from "../../../paths.ts";

/** Number of endpoints on the page. */
const SHOWN = 25;
/** Maximum characters of the message of an endpoint in the summary. */
const MESSAGE_CHARS = 150;
/** Number of endpoints with a problem that the summary names. */
const NAMED = 3;
/** Renders at how many endpoints a certificate is served; nothing for none. */
export function DeploymentText({ served }: { served: ServingEndpoints }): Content {
  const { here } = served;
  if (!deploymentOf(served).isPartial) {
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
  const named = deploymentOf(served).isPartial ? deploymentOf(served).others : [];
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
    <ListSection
      id="served"
      title="Endpoints"
      before={deploymentOf(served).isPartial
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
      rows={rows.slice(0, SHOWN)}
      empty=""
      all={rows.length <= SHOWN ? undefined : `/endpoints/?certificate_id=${id}`}
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
  );
}

/** The state of an endpoint in words, with the most important facts. */

import { isGranted } from "../../auth/mod.ts";
import { certificates } from "../../domain/certificates/mod.ts";
import type { Call } from "../call.ts";
import { CertificateName } from "../certificates/mod.ts";
import { Badge, Expiry, type Html, Time, toneOf } from "../components/mod.ts";
import { capitalized } from "../messages.ts";
import { type ApiObject, type PermittedActions, readRows } from "../objects/mod.ts";
import { NextStep, servesSelfSigned } from "./next_step.tsx";

/** Fields of the served certificate that the summary reads. */
const SERVED = [
  "id",
  "common_name",
  "valid_to",
  "days_remaining",
  "expiry_status",
  "chain_status",
  "replaced_by",
];

/** Sentences about the chain of a certificate, by its status. */
const CHAINS: Readonly<Record<string, string>> = {
  valid: "Its chain is valid.",
  self_signed: "It is self-signed.",
  no_chain: "The certificates of its issuers are missing.",
  incomplete: "Its chain is incomplete.",
  invalid_signature: "Its chain has an invalid signature.",
  expired: "A certificate of its chain has expired.",
  not_yet_valid: "A certificate of its chain is not yet valid.",
};

/** Renders the state with its time, and the served and the expected certificate. At most three statements. */
export async function endpointSummary(
  call: Call,
  endpoint: ApiObject,
  permitted: PermittedActions,
): Promise<Html> {
  const { state, state_message: message, last_changed: since, last_probed: probed } = endpoint;
  const served = await readServed(call, endpoint);
  const isCa = served !== undefined && servesSelfSigned(endpoint) && await isAuthority(call, served.id);
  const chain = served?.chain_status;
  return (
    <div class={`summary ${toneOf(String(state))}`}>
      <p>
        <strong>{stateText(String(state))}</strong>
        {since === null ? "." : <Since at={String(since)} />} <bdi>{String(message)}</bdi>
      </p>
      <Certificates endpoint={endpoint} />
      {served === undefined ? null : (
        <p>
          It {Number(served.days_remaining) < 0 ? "expired" : "expires"} on <Expiry row={served} />.{" "}
          {typeof chain === "string" ? CHAINS[chain] ?? <Chain status={chain} /> : null}
        </p>
      )}
      {probed === null ? null : (
        <p class="faint">
          Last probed <Time at={String(probed)} />.
        </p>
      )}
      <NextStep call={call} endpoint={endpoint} served={served} isCa={isCa} permitted={permitted} />
    </div>
  );
}

async function readServed(call: Call, { certificate }: ApiObject): Promise<ApiObject | undefined> {
  const id = (certificate as ApiObject | null)?.id;
  if (id === undefined || !isGranted(call.ctx, "view", certificates.objectType)) return undefined;
  const params = { id, archived: "any", limit: 1 };
  return (await readRows(call, certificates, { params, fields: SERVED })).rows[0];
}

/** Returns whether a certificate is marked as an authority. At most two statements. */
async function isAuthority({ ctx }: Call, id: number): Promise<boolean> {
  const { viewChain } = await import("../../domain/certificates/chain/mod.ts");
  return (await viewChain({ ctx, id }))?.certificates[0]?.is_ca === true;
}

function stateText(state: string): string {
  return state === "ok" ? "OK" : capitalized(state.replaceAll("_", " ")).replace(/^Tls/, "TLS");
}

function Since({ at }: { at: string }): Html {
  return (
    <>
      {" since "}
      <Time at={at} />.
    </>
  );
}

function Chain({ status }: { status: string }): Html {
  return (
    <>
      Its chain: <Badge value={status} />.
    </>
  );
}

function Certificates(
  { endpoint: { certificate, expected_certificate: expected } }: { endpoint: ApiObject },
): Html | null {
  if (certificate === null && expected === null) return null;
  return (
    <p>
      {certificate === null ? null : (
        <>
          Serves <CertificateName brief={certificate} />.
        </>
      )} {expected === null ? null : (
        <>
          Expected certificate: <CertificateName brief={expected} />.
        </>
      )}
    </p>
  );
}

/** The state of an endpoint in words, with the most important facts. */

import { daysText } from "../../../base/amounts.ts";
import { loadEndpointFacts, type ServedCertificate } from "../../../domain/advice/mod.ts";
import {
  type Endpoint,
  EXPIRED_ON,
  EXPIRES_ON,
  supersededMessage,
  WITHOUT_CERTIFICATE,
} from "../../../domain/endpoints/mod.ts";
import type { Call } from "../../call.ts";
import { CertificateName, chainState } from "../certificates/mod.ts";
import { Badge, Day, Expiry, type Html, Time, toneOf } from "../../kit/components/mod.ts";
import { capitalized } from "../../messages.ts";
import type { PermittedActions } from "../../kit/mod.ts";
import { NextStep } from "./next_step.tsx";

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

/** An endpoint and the certificate that it serves; undefined if the user may not view it. */
interface Shown {
  readonly endpoint: Endpoint;
  readonly served: ServedCertificate | undefined;
}

/** Renders the state with its time, and the served and the expected certificate. At most three statements. */
export async function endpointSummary(
  call: Call,
  endpoint: Endpoint,
  permitted: PermittedActions,
): Promise<Html> {
  const { state, last_probed: probed } = endpoint;
  const facts = await loadEndpointFacts(call.ctx, endpoint, permitted.change);
  const { served } = facts;
  return (
    <div class={`summary ${toneOf(state)}`}>
      <Lead endpoint={endpoint} served={served} />
      <Certificates endpoint={endpoint} served={served} />
      {probed === null ? null : (
        <p class="faint">
          Last probed <Time at={probed} />.
        </p>
      )}
      <NextStep call={call} facts={facts} />
    </div>
  );
}

function stateText(state: string): string {
  return state === "ok" ? "OK" : capitalized(state.replaceAll("_", " ")).replace(/^Tls/, "TLS");
}

/** Leads of states whose time is that of a probe, while the certificate has its own date. */
const EXPIRY_LEADS: Readonly<Record<string, string>> = {
  expired: "Serves an expired certificate",
  expiring: "Serves a certificate that expires soon",
};

/** States whose reason is about the chain that the server presents. */
const ABOUT_CHAIN: ReadonlySet<unknown> = new Set(["untrusted", "incomplete_chain"]);

/** Renders the state, when it was seen for the first time, and the reason unless other words say it. */
function Lead({ endpoint, served }: Shown): Html {
  const { state, last_changed: since } = endpoint;
  const lead = EXPIRY_LEADS[state];
  const { text, said } = reasonOf({ endpoint, served });
  return (
    <p>
      <strong>{lead ?? stateText(state)}</strong>
      {lead === undefined || served === undefined || !said ? null : (
        <>
          {` (${served.days_remaining < 0 ? "expired" : "expires"} `}
          <Day at={served.valid_to} />
          {`, ${daysText(served.days_remaining)})`}
        </>
      )}
      {since === null ? "." : (
        <>
          {lead === undefined ? " since " : ". First seen "}
          <Time at={since} />.
        </>
      )} <bdi>{text}</bdi>
    </p>
  );
}

/** Returns the reason of a state without what the page says about the served certificate, and whether it says a part of it. */
function reasonOf({ endpoint, served }: Shown): { readonly text: string; readonly said: boolean } {
  const { state, state_message: text } = endpoint;
  if (isAsExpected(endpoint)) return { text: "", said: true };
  if (served === undefined) return { text, said: false };
  const date = served.valid_to.slice(0, 10);
  const facts: Readonly<Record<string, string>> = {
    expired: `${EXPIRED_ON} ${date}.`,
    expiring: `${EXPIRES_ON} ${date}.`,
    superseded: supersededMessage(served.common_name),
  };
  const fact = facts[state];
  return fact !== undefined && text.startsWith(fact)
    ? { text: text.slice(fact.length).trim(), said: true }
    : { text, said: false };
}

/** Returns whether an endpoint without problems serves the certificate that it should serve. */
function isAsExpected({ state, certificate, expected_certificate: expected }: Endpoint): boolean {
  return state === "ok" && certificate !== null &&
    certificate.id === expected?.id;
}

/** Renders the certificate with its expiry and its chain, and the expected one if it is another. */
function Certificates({ endpoint, served }: Shown): Html | null {
  const { state, certificate, expected_certificate: expected } = endpoint;
  if (certificate === null && expected === null) return null;
  const { said } = reasonOf({ endpoint, served });
  const isDated = said && state in EXPIRY_LEADS;
  const label = WITHOUT_CERTIFICATE.has(state)
    ? "Last known certificate: "
    : isDated
    ? "Certificate: "
    : said && state === "superseded"
    ? "Still serves the replaced certificate "
    : "Serves ";
  return (
    <p>
      {certificate === null ? null : (
        <>
          {label}
          <CertificateName brief={certificate} />
          {isAsExpected(endpoint) ? ", the expected certificate." : "."}
        </>
      )} {served === undefined || isDated ? null : (
        <>
          It {served.days_remaining < 0 ? "expired" : "expires"} on <Expiry row={served} />.
        </>
      )} {served === undefined ? null : <Chain state={state} served={served} />}{" "}
      {expected === null || isAsExpected(endpoint) ? null : (
        <>
          Expected certificate: <CertificateName brief={expected} />.
        </>
      )}
    </p>
  );
}

/** Renders the chain of the served certificate as the inventory has it, unless the state says it already. */
function Chain({ state, served }: { state: unknown; served: ServedCertificate }): Html | null {
  const { chain_status: chain } = served;
  if (typeof chain !== "string" || ABOUT_CHAIN.has(state) || chain === state) return null;
  // The date, or the status, says more about the certificate.
  if (chainState(chain, served).reason !== undefined) return null;
  return <>{CHAINS[chain] ?? <>Its chain: {Badge({ value: chain })}.</>}</>;
}

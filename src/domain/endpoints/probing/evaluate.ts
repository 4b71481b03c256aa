/**
 * Evaluates reports about endpoints, by the service's own probes or by agents: determines all states that apply, each
 * with a sentence, and the time of the next probe. Has no side effects. The chain is evaluated elsewhere.
 */

import { DAY_MS, formatDate, type Millis, MINUTE_MS } from "../../../base/clock.ts";
import type { RowOf } from "../../../db/mod.ts";
import type { endpoints } from "../../../db/schema/mod.ts";
import type { ProbeAnswer } from "../../../probe/mod.ts";
import { type Certificate, coversHost } from "../../../x509/mod.ts";
import type { ShownState } from "../shown_states.ts";
import { FOUND_STATES, type FoundState, type StateReason } from "../states.ts";

/** Minutes between the probes while a renewed certificate is not deployed yet. {@link LAST_WATCH_MINUTES} repeats. */
const WATCH_MINUTES = [1, 2, 5, 10, 30];
const LAST_WATCH_MINUTES = 60;
/** Minutes after which a failed probe is repeated. */
const FAILED_MINUTES = 15;
/** With this time, an endpoint is probed before all others that are due. */
export const AT_ONCE: Millis = 0;

/** Returns the time of the next probe, and how many times in a row a replaced certificate was found. */
export function nextProbe(
  { state, states, intervalMinutes, watchStep }: {
    state: FoundState;
    states: readonly FoundState[];
    intervalMinutes: number;
    watchStep: number | null;
  },
  now: Millis,
): { next_probe: Millis; watch_step: number | null } {
  if (states.includes("superseded")) {
    const step = watchStep ?? 0;
    const wait = WATCH_MINUTES[step] ?? LAST_WATCH_MINUTES;
    return { next_probe: now + Math.min(wait, intervalMinutes) * MINUTE_MS, watch_step: step + 1 };
  }
  const failed = state === "unreachable" || state === "tls_error";
  const minutes = failed ? Math.min(FAILED_MINUTES, intervalMinutes) : intervalMinutes;
  // Up to a tenth earlier or later, so that endpoints that were created together are not always probed
  // together.
  const jitter = 0.9 + Math.random() / 5;
  return { next_probe: now + Math.round(minutes * jitter * MINUTE_MS), watch_step: null };
}

/** The result of a probe of an endpoint, or an agent's report about it. */
export interface ProbeReport {
  readonly endpointId: number;
  /** `probe` or `agent:<name>`. */
  readonly source: string;
  readonly at: Millis;
  /** Set if nothing was reported, so that the time of the last probe stays the same. */
  readonly silent?: true;
  readonly answers: readonly ProbeAnswer[];
}

/** The result of a probe, with its first certificate parsed and its chain checked. */
export interface ReadAnswer {
  readonly address: string;
  readonly answer: ProbeAnswer;
  readonly presented: readonly string[];
  /** The first certificate; undefined if there is none, or it cannot be read. */
  readonly leaf: Certificate | undefined;
  /** The DER of the others, without those that cannot be read. What is read of them takes up to ten times as much. */
  readonly chain: readonly Uint8Array[];
  /** All findings that do not depend on the inventory. */
  readonly findings: readonly StateFinding[];
}

export type StoredEndpoint = RowOf<typeof endpoints>;

/** A state and its sentence. */
export interface StateFinding {
  readonly state: FoundState;
  readonly message: string;
  readonly reason?: StateReason | undefined;
}

/** Findings, worst first. */
export type StateFindings = readonly [StateFinding, ...StateFinding[]];

export interface KnownCertificate {
  readonly id: number;
  readonly status: string;
  readonly replaced_by_id: number | null;
  readonly common_name: string;
  /** Where the service found it; empty if someone entered it. */
  readonly discovered_via: string;
}

/** What an endpoint serves, and what it should serve. */
export interface Expectation {
  readonly served: KnownCertificate | undefined;
  /** Other certificates with the serial number and issuer of the presented one. */
  readonly others: readonly number[];
  /**
   * The expected certificate and its successors, oldest first. If empty, any active certificate of the
   * inventory is expected.
   */
  readonly successors: readonly number[];
  /** Whether there is another problem, because of which a certificate that was found is pending. */
  readonly hasProblem: boolean;
}

/** Old versions that clients reject (RFC 8996). */
const OLD_VERSIONS = ["SSL 3.0", "TLS 1.0", "TLS 1.1"];

/** Returns the states of what was presented, except those of the chain, in any order. */
export function leafStates(
  leaf: Certificate,
  { host, tlsVersion, at, warningDays }: {
    host: string;
    tlsVersion: string;
    at: Millis;
    warningDays: number;
  },
): StateFinding[] {
  const { notBefore, notAfter } = leaf.validity;
  const found: StateFinding[] = [];
  const add = (state: FoundState, message: string): number => found.push({ state, message });
  if (OLD_VERSIONS.includes(tlsVersion)) {
    add("tls_error", `The server offers only ${tlsVersion}, which clients reject.`);
  }
  if (at > notAfter) add("expired", `The certificate expired on ${formatDate(notAfter)}.`);
  else if (at < notBefore) {
    add("not_yet_valid", `The certificate is not valid before ${formatDate(notBefore)}.`);
  } else if (notAfter - at < warningDays * DAY_MS) {
    add("expiring", `The certificate expires on ${formatDate(notAfter)}.`);
  }
  if (!coversHost(leaf.subjectAltNames, host)) {
    add("name_mismatch", `The certificate is not for ${host}.`);
  }
  return found;
}

/** Returns a state if the certificate is not the one that the inventory expects. */
export function expectationStates(
  { served: known, others, successors, hasProblem }: Expectation,
): StateFinding[] {
  if (others.length > 0) return [IDENTITY_CONFLICT];
  const revoked = known?.status === "revoked" ? [REVOKED] : [];
  const newest = successors.at(-1);
  if (newest !== undefined) {
    if (known?.id === newest) return revoked;
    return known !== undefined && successors.includes(known.id)
      ? [...revoked, superseded(known)]
      : [...revoked, { state: "wrong_certificate", message: "The certificate is not the expected one." }];
  }
  if (known === undefined) {
    return [{ state: "wrong_certificate", message: "The inventory does not have the certificate." }];
  }
  if (known.replaced_by_id !== null || known.status === "replaced") return [superseded(known)];
  if (known.status === "revoked") return revoked;
  if (known.status === "pending" && !(hasProblem && known.discovered_via !== "")) {
    return [{ state: "wrong_certificate", message: "The certificate is pending in the inventory." }];
  }
  return [];
}

/** The states if the inventory has no certificates but those with these ids. */
export interface InventoryView {
  readonly ids: readonly number[];
  readonly findings: StateFindings;
}

/** With all certificates that matter, with the expected and the served one, with the served one, with none. */
export type InventoryViews = readonly [InventoryView, InventoryView, InventoryView, InventoryView];

/** Returns the states of an address for readers who may view more or less of the inventory. */
export function viewsOf(
  { findings }: Pick<ReadAnswer, "findings">,
  expectation?: Expectation,
): InventoryViews {
  const view = (change: Partial<Expectation>): InventoryView => {
    const seen = expectation && { ...expectation, ...change };
    return {
      ids: [seen?.served?.id, seen?.served?.replaced_by_id, seen?.successors, seen?.others]
        .flatMap((id) => id ?? []),
      findings: sortBySeverity([...findings, ...(seen === undefined ? [] : expectationStates(seen))]),
    };
  };
  const served = expectation?.served && { ...expectation.served, replaced_by_id: null };
  const alone = { served, successors: [], others: [] };
  const expected = { ...alone, successors: expectation?.successors.slice(0, 1) ?? [] };
  return [view({}), view(expected), view(alone), view({ ...alone, served: undefined })];
}

/** Returns the states of an endpoint from those of its addresses. */
export function joinedViews(perAddress: readonly { readonly views: InventoryViews }[]): InventoryViews {
  const join = (place: 0 | 1 | 2 | 3): InventoryView => {
    const own = perAddress.map(({ views }) => views[place]);
    const found = own.flatMap(({ findings }) => findings.filter(({ state }) => state !== "ok"));
    return { ids: [...new Set(own.flatMap(({ ids }) => ids))], findings: sortBySeverity(found) };
  };
  return [join(0), join(1), join(2), join(3)];
}

/** Returns the column `shown_states`. The first entry has no values, and without certificates there is no other. */
export function shownStatesOf(
  [all, ...fewer]: InventoryViews,
  valuesOf: (findings: StateFindings) => Omit<ShownState, "ids">,
): string {
  const others = fewer.map(({ ids, findings }): ShownState => ({ ids, ...valuesOf(findings) }));
  return JSON.stringify(all.ids.length === 0 ? [] : [{ ids: all.ids }, ...others]);
}

/** The finding that a served certificate is revoked, by its authority or by a user. */
const REVOKED: StateFinding = { state: "revoked", message: "The certificate is revoked." };

/** The finding that another certificate has the same serial number and issuer, and therefore the identity, of a served one. */
const IDENTITY_CONFLICT: StateFinding = {
  state: "wrong_certificate",
  message: "The inventory has another certificate with the same serial number and issuer.",
};

function superseded({ common_name }: KnownCertificate): StateFinding {
  const message = `The server still serves a certificate for ${common_name} that was replaced.`;
  return { state: "superseded", message };
}

/** Sorts findings, worst first, one for each state. Without findings, the state is `ok`. */
export function sortBySeverity(
  findings: readonly StateFinding[],
): StateFindings {
  const sorted = FOUND_STATES.flatMap((state) => findings.find((one) => one.state === state) ?? []);
  const [first, ...rest] = sorted;
  return first === undefined
    ? [{ state: "ok", message: "The certificate is as expected." }]
    : [first, ...rest];
}

/** Stores reports: discovered certificates, observations, and the states of the endpoints. */

import { and, eq, getTableColumns, inArray } from "drizzle-orm";
import { type Context, SERVICE_ACTOR } from "../../../auth/mod.ts";
import type { Millis } from "../../../base/clock.ts";
import { pacer } from "../../../base/pace.ts";
import { type Cell, idsIn, select, type Transaction, updateRows } from "../../../db/mod.ts";
import { endpoints as table } from "../../../db/schema/mod.ts";
import { EVERYTHING } from "../../../filters/mod.ts";
import { type Draft, loadForChange, storeOnly } from "../../../resource/mod.ts";
import { trustAnchors } from "../../certificates/chain/validate_stored.ts";
import { certificates } from "../../certificates/mod.ts";
import { loadStaples, type Staple } from "../../revocation/mod.ts";
import { displayOf, endpoints } from "../resource.ts";
import { type FoundState, type Possession, RIGHT_STATES, severityOf } from "../states.ts";
import { assignServed, credibleIds, readEditors } from "./assign.ts";
import { conflictingFingerprints, type Discovery, knownCertificates, successorsOf } from "./discover.ts";
import {
  type InventoryViews,
  joinedViews,
  type KnownCertificate,
  nextProbe,
  type ProbeReport,
  type ReadAnswer,
  shownStatesOf,
  type StateFindings,
  type StoredEndpoint,
  viewsOf,
} from "./evaluate.ts";
import { readAnswers } from "./read_answers.ts";
import { type ObservationCounts, type Observed, storeObservations } from "./store_observations.ts";

/** Stores the responses of the service's own probes. */
async function storeStaples(ctx: Context, evaluated: readonly EvaluatedEndpoint[]): Promise<void> {
  const staples = evaluated.flatMap(({ observed }) => observed).flatMap(
    ({ known, read: { leaf: certificate, chain, answer: { presented } } }): Staple[] =>
      known === undefined || certificate === undefined || presented?.ocspResponse === undefined
        ? []
        : [{ id: known.id, certificate, chain, response: presented.ocspResponse }],
  );
  if (staples.length > 0) await (await loadStaples()).storeStapled(ctx, staples);
}

/** Number of reports per transaction, so that other requests run in between. */
export const SETTLE_BATCH = 10;

interface Subject {
  readonly report: ProbeReport;
  readonly endpoint: StoredEndpoint;
  readonly answers: readonly ReadAnswer[];
}

export interface SettledReports extends ObservationCounts {
  readonly certificates: number;
}

/**
 * Stores reports in one transaction as the service itself, because what a server serves does not depend on
 * the caller. What follows from it does: assignments need the rights of the endpoint's last editor, and for
 * reports of an agent also those of `pushedBy`, the context of its user. Drops reports about deleted endpoints.
 * With `lease`, stores only endpoints that this owner has leased. The number of statements does not depend on the
 * number of reports, only on that of their editors.
 */
export async function settleReports(
  given: Context,
  reports: readonly ProbeReport[],
  { lease, pushedBy }: { lease?: string; pushedBy?: Context } = {},
): Promise<SettledReports> {
  const ctx: Context = { ...given, actor: SERVICE_ACTOR };
  const subjects = await readSubjects(ctx, reports);
  const editors = await readEditors(ctx, subjects.map(({ endpoint }) => endpoint));
  const { evaluated, ...settled } = await ctx.database.write(async (tx) => {
    const left = lease === undefined ? subjects : await stillLeased(tx, subjects, lease);
    const discoveries = left.flatMap(({ answers, endpoint }) =>
      answers.flatMap((one) => discoveryOf(one, endpoint))
    );
    const { known, created } = await knownCertificates(ctx, tx, { discoveries, pushedBy });
    const credible = pushedBy === undefined ? undefined : await credibleIds(pushedBy, tx, known);
    const expected = left.flatMap(({ endpoint }) => endpoint.expected_certificate_id ?? []);
    const successors = await successorsOf(tx, expected);
    const conflicts = await conflictingFingerprints(tx, discoveries, known);
    const createsActive = ctx.settings.probing.discover === "create";
    const evaluated = left.map((subject) =>
      evaluate(subject, { known, successors, credible, createsActive, conflicts })
    );
    const now = ctx.clock.now();
    const counts = await storeObservations(tx, evaluated.flatMap(({ observed }) => observed), now);
    // A report that arrives late does not describe the current state.
    const present = evaluated.filter(({ endpoint, at }) => at >= (endpoint.last_probed ?? at));
    await storeStates(ctx, tx, present);
    await assignServed(ctx, tx, { evaluated: present, editors, pushedBy });
    return { ...counts, certificates: created, evaluated };
  });
  if (settled.certificates > 0) certificates.hooks?.afterCommit?.(ctx);
  if (pushedBy === undefined) await storeStaples(ctx, evaluated);
  return settled;
}

async function readSubjects(ctx: Context, reports: readonly ProbeReport[]): Promise<Subject[]> {
  const ids = idsIn(reports.map(({ endpointId }) => endpointId));
  const rows = await ctx.database.all(
    select(getTableColumns(table)).from(table).where(inArray(table.id, ids)),
  );
  const byId = new Map(rows.map((row) => [row.id, row]));
  const anchors = await trustAnchors(ctx);
  const subjects: Subject[] = [];
  const pause = pacer();
  for (const report of reports) {
    const endpoint = byId.get(report.endpointId);
    if (endpoint === undefined) continue;
    subjects.push({
      report,
      endpoint,
      answers: await readAnswers(ctx, { report, endpoint, anchors, pause }),
    });
  }
  return subjects;
}

async function stillLeased(
  tx: Transaction,
  subjects: readonly Subject[],
  lease: string,
): Promise<readonly Subject[]> {
  const stored = idsIn(subjects.map(({ endpoint }) => endpoint.id));
  const rows = await tx.all(
    select({ id: table.id }).from(table).where(and(inArray(table.id, stored), eq(table.lease_owner, lease))),
  );
  const ids = new Set(rows.map(({ id }) => id));
  return subjects.filter(({ endpoint }) => ids.has(endpoint.id));
}

function discoveryOf(
  { leaf: certificate, chain, answer, findings }: ReadAnswer,
  endpoint: StoredEndpoint,
): Discovery[] {
  if (certificate === undefined) return [];
  const via = `${endpoint.source.startsWith("agent:") ? `${endpoint.source} ` : ""}endpoint ${
    displayOf({ ...endpoint })
  }`;
  const isRight = answer.presented?.possession === "proven" && endpoint.expected_certificate_id === null &&
    findings.every(({ state }) => RIGHT_STATES.has(state));
  const { id: endpointId, tenant_id: tenantId } = endpoint;
  return [{ certificate, chain, tenantId, via: via.slice(0, 200), endpointId, isRight }];
}

export interface EvaluatedEndpoint {
  readonly endpoint: StoredEndpoint;
  readonly at: Millis;
  readonly lastProbed: Millis | null;
  readonly observed: readonly Observed[];
  readonly findings: StateFindings;
  readonly certificateId: number | null;
  readonly possession: Possession;
  readonly addressesDiffer: boolean;
  readonly views: InventoryViews;
}

function evaluate(
  { report, endpoint, answers }: Subject,
  { known, successors, credible, createsActive, conflicts }: {
    known: ReadonlyMap<string, KnownCertificate>;
    successors: ReadonlyMap<number, readonly number[]>;
    /** The certificates whose possession may be reported; undefined for the service's own probes. */
    credible: ReadonlySet<number> | undefined;
    /** Whether only certificates with a problem are added as pending. */
    createsActive: boolean;
    conflicts: ReadonlyMap<string, readonly number[]>;
  },
): EvaluatedEndpoint {
  const line = successors.get(endpoint.expected_certificate_id ?? 0) ?? [];
  const perAddress = answers.map((read) => {
    const fingerprint = read.leaf?.fingerprintSha256 ?? "";
    const served = known.get(fingerprint);
    const isCredible = credible === undefined || served !== undefined && credible.has(served.id);
    const possession: Possession = isCredible ? read.answer.presented?.possession ?? "unproven" : "unproven";
    const hasProblem = createsActive && read.findings.some(({ state }) => !RIGHT_STATES.has(state));
    const others = conflicts.get(fingerprint) ?? [];
    const expectation = { served, others, successors: line, hasProblem };
    const views = viewsOf(read, read.leaf === undefined ? undefined : expectation);
    return { isConflict: others.length > 0, read, served, possession, views, findings: views[0].findings };
  });
  const { endpointId, at, source } = report;
  const observed = perAddress.map(({ findings, served, ...one }): Observed => ({
    ...one,
    endpointId,
    at,
    source,
    state: findings[0],
    known: served,
  }));
  const views = joinedViews(perAddress);
  const [{ findings }] = views;
  const leaves = new Set(perAddress.flatMap(({ read }) => read.presented[0] ?? []));
  // The certificate of the address in the worst state. If that presents none, the one of another address, or
  // the last known one. Without the key, a server can present any certificate, so it does not serve that one.
  const serving = perAddress.filter(({ served, possession }) =>
    served !== undefined && possession === "proven"
  );
  const shown = serving.find((one) => one.findings[0].state === findings[0].state) ?? serving[0];
  const presentsOther = shown === undefined && leaves.size > 0;
  const presenting = perAddress.filter(({ read }) => read.presented.length > 0);
  return {
    endpoint,
    at,
    lastProbed: report.silent === true ? endpoint.last_probed : at,
    observed,
    findings,
    certificateId: shown?.served?.id ?? (presentsOther ? null : endpoint.certificate_id),
    possession: presenting.length > 0 && presenting.every(({ possession }) => possession === "proven")
      ? "proven"
      : "unproven",
    addressesDiffer: leaves.size > 1,
    views,
  };
}

/** Stores states. Changes of a state are recorded, times of probes are not. */
async function storeStates(
  ctx: Context,
  tx: Transaction,
  evaluated: readonly EvaluatedEndpoint[],
): Promise<void> {
  const now = ctx.clock.now();
  const call = { ctx, tx, resource: endpoints, allowed: EVERYTHING };
  const before = await loadForChange(call, evaluated.map(({ endpoint }) => endpoint.id));
  const drafts: Draft[] = [];
  const times: Record<string, Cell>[] = [];
  for (const one of evaluated) {
    const stored = before.get(one.endpoint.id);
    if (stored === undefined) continue;
    times.push(timesOf(one, now));
    const row = columnsOf(one);
    if (Object.entries(row).every(([name, cell]) => stored[name] === cell)) continue;
    if (stored.state !== row.state || stored.certificate_id !== row.certificate_id) row.last_changed = one.at;
    drafts.push({ id: one.endpoint.id, before: stored, input: {}, row, errors: [], reveal: {} });
  }
  if (drafts.length > 0) await storeOnly(call, drafts);
  if (times.length > 0) await tx.run(updateRows(table, times));
}

function columnsOf(one: EvaluatedEndpoint): Record<string, Cell> {
  const { findings, certificateId, possession, addressesDiffer } = one;
  return {
    ...stateOf(one, findings),
    addresses_differ: Number(addressesDiffer),
    certificate_id: certificateId,
    possession,
  };
}

function stateOf(
  { addressesDiffer, observed }: EvaluatedEndpoint,
  findings: StateFindings,
): Record<"state" | "severity" | "state_message" | "state_reason" | "states", string | number> {
  const [worst] = findings;
  const differ = addressesDiffer ? " The addresses of the host present different certificates." : "";
  const isUnproven = observed.some((one) =>
    one.read.presented.length > 0 && one.possession === "unproven" &&
    one.read.answer.presented?.fault === undefined
  );
  const unproven = isUnproven ? " The server has not proven that it has the key." : "";
  return {
    state: worst.state,
    severity: severityOf(worst.state),
    state_message: `${worst.message}${unproven}${differ}`.slice(0, 1_000),
    state_reason: worst.reason ?? "",
    states: JSON.stringify(findings.map(({ state }) => state)),
  };
}

function timesOf(one: EvaluatedEndpoint, now: Millis): Record<string, Cell> {
  const { endpoint, lastProbed, findings, views } = one;
  const isProbed = endpoint.enabled === 1 && !endpoint.source.startsWith("agent:");
  const next = nextProbe({
    state: findings[0].state,
    states: findings.map(({ state }): FoundState => state),
    intervalMinutes: endpoint.interval_minutes,
    watchStep: endpoint.watch_step,
  }, now);
  return {
    id: endpoint.id,
    last_probed: lastProbed,
    next_probe: isProbed ? next.next_probe : null,
    watch_step: next.watch_step,
    lease_owner: null,
    shown_states: shownStatesOf(views, (less) => stateOf(one, less)),
  };
}

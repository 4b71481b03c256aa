/** Stores evidence, and what follows from it: the revocation status, and the status of revoked certificates. */

import { type SQL, sql } from "drizzle-orm";
import { type Context, SERVICE_ACTOR } from "../../auth/mod.ts";
import { DAY_MS, HOUR_MS, type Millis } from "../../base/clock.ts";
import { type Cell, idsIn, insertRows, updateRows } from "../../db/mod.ts";
import { certificates as certificateTable, revocation_checks as checks } from "../../db/schema/mod.ts";
import { EVERYTHING } from "../../filters/mod.ts";
import { type CertificateRow, changeStored } from "../certificates/mod.ts";
import type { Evidence } from "./ask.ts";
import type { Unasked } from "./questions.ts";

/** Statuses of certificates that are set to `revoked` when they are. A replaced one stays replaced. */
const IN_USE: readonly string[] = ["active", "pending", "expired"];

/** The result about a certificate. */
export type Outcome = Unasked | { readonly evidence: readonly Evidence[] };

/** The evidence that is stored about a certificate and still counts. */
interface Standing {
  readonly certificate_id: number;
  readonly source: string;
  readonly status: string;
  readonly reason: string;
  readonly revoked_at: Millis | null;
  readonly this_update: Millis;
  readonly next_update: Millis;
  readonly message: string;
}

/** What follows from all evidence. */
interface Conclusion {
  readonly status: string;
  readonly reason: string;
  readonly revokedAt: Millis | null;
  readonly message: string;
  readonly due: Millis;
}

/**
 * Stores outcomes as the service. Evidence of other sources that is still current counts as well. Changes of the status
 * have change records with the evidence as their message. `keepsDue`: the authority is asked as if nothing had come.
 */
export async function storeOutcomes(
  given: Context,
  outcomes: ReadonlyMap<number, Outcome>,
  { keepsDue = false }: { keepsDue?: boolean } = {},
): Promise<void> {
  const ctx: Context = { ...given, actor: SERVICE_ACTOR };
  const now = ctx.clock.now();
  const ids = [...outcomes.keys()];
  if (ids.length === 0) return;
  const rows = [...outcomes].flatMap(([id, outcome]) =>
    "evidence" in outcome ? outcome.evidence.map((one) => evidenceRow(id, one, now)) : []
  );
  if (rows.length > 0) await ctx.database.write((tx) => tx.run(upsert(rows, now)));
  const standing = Map.groupBy(
    await ctx.database.all<Standing>(
      sql`SELECT certificate_id, source, status, reason, revoked_at, this_update, next_update, message FROM ${checks}
        WHERE certificate_id IN ${idsIn(ids)} AND (next_update >= ${now} OR status = 'revoked')`,
    ),
    (row) => row.certificate_id,
  );
  const conclusions = new Map(
    [...outcomes].map(([id, outcome]) => [id, concludeFrom(outcome, standing.get(id) ?? [], { id, now })]),
  );
  const before = await ctx.database.all<{ id: number; status: string; at: Millis | null; reason: string }>(
    sql`SELECT id, revocation_status AS status, revoked_at AS at, revocation_reason AS reason
      FROM ${certificateTable} WHERE id IN ${idsIn(ids)}`,
  );
  const changed = before.filter(({ id, ...row }) => isChanged(row, conclusions.get(id)!));
  if (changed.length > 0) {
    await changeStored(
      {
        ctx,
        allowed: EVERYTHING,
        ids: changed.map(({ id }) => id),
        messageOf: ({ id }) => conclusions.get(id)?.message,
      },
      (row) => columnsOf(row, conclusions.get(row.id)!, now),
    );
  }
  const times = before.map(({ id }) => ({
    id,
    revocation_checked_at: now,
    ...(keepsDue ? {} : { revocation_due: conclusions.get(id)!.due }),
  }));
  if (times.length > 0) await ctx.database.write((tx) => tx.run(updateRows(certificateTable, times)));
}

/** A revocation stands until an authority says something else: without an answer, it has not ended. */
function isChanged(
  before: { status: string; at: Millis | null; reason: string },
  { status, revokedAt, reason }: Conclusion,
): boolean {
  if (status === "revoked") {
    return before.status !== status || revokedAt !== before.at || reason !== before.reason;
  }
  return status !== before.status && (before.status !== "revoked" || status === "good");
}

function columnsOf(
  row: CertificateRow,
  { status, revokedAt, reason }: Conclusion,
  now: Millis,
): Record<string, Cell> {
  const columns = {
    revocation_status: status,
    revoked_at: revokedAt,
    revocation_reason: reason,
    revocation_unanswered: status === "unavailable" ? now : null,
  };
  if (status === "revoked") {
    return IN_USE.includes(row.status) ? { ...columns, status, revoked_from: row.status } : columns;
  }
  return row.revoked_from === null || row.status !== "revoked"
    ? columns
    : { ...columns, status: row.revoked_from, revoked_from: null };
}

function concludeFrom(
  outcome: Outcome,
  standing: readonly Standing[],
  { id, now }: { id: number; now: Millis },
): Conclusion {
  // Spread over ten minutes, so that those of one list are not all due at once.
  const jitter = (id * 7_919 % 600) * 1_000;
  const nothing = { reason: "", revokedAt: null };
  if (!("evidence" in outcome)) return { ...nothing, ...outcome, due: now + DAY_MS + jitter };
  const { evidence } = outcome;
  const due = Math.min(...evidence.map(({ refreshAt }) => refreshAt), now + DAY_MS) + jitter;
  const good = Math.max(
    ...standing.filter(({ status }) => status === "good").map(({ this_update }) => this_update),
  );
  // Of older answers, none ends a revocation, also after the time until which it counts: they can be replayed.
  const counting = standing.filter(({ status, reason, this_update, next_update }) =>
    status !== "revoked" || this_update >= good || (reason !== "certificate_hold" && next_update >= now)
  );
  for (const status of ["revoked", "good", "unknown"]) {
    const found = counting.find((one) => one.status === status);
    if (found === undefined) continue;
    const { reason, revoked_at: revokedAt, message, next_update: end } = found;
    return { status, reason, revokedAt, message, due: end < now ? due : Math.min(due, end) };
  }
  const message = evidence.map((one) => one.message).join(" ");
  return { ...nothing, status: "unavailable", message, due: Math.min(due, now + HOUR_MS + jitter) };
}

function evidenceRow(
  certificate_id: number,
  { source, url, answer, message, sha256 }: Evidence,
  now: Millis,
): Record<string, Cell> {
  return {
    certificate_id,
    source,
    source_url: url,
    status: answer?.status ?? "unavailable",
    reason: answer?.reason ?? "",
    revoked_at: answer?.revokedAt ?? null,
    this_update: answer?.thisUpdate ?? null,
    next_update: answer?.nextUpdate ?? null,
    signer: answer?.signer ?? "",
    response_sha256: sha256,
    message,
    checked_at: now,
    created: now,
    last_updated: now,
  };
}

/** Columns that newer evidence of a source leaves as they are. */
const KEPT = ["certificate_id", "source", "created"];

/** Returns the statement that stores evidence. A failure replaces no current answer, and nothing older a revocation. */
function upsert(rows: readonly Record<string, Cell>[], now: Millis): SQL {
  const replaced = Object.keys(rows[0] ?? {}).filter((name) => !KEPT.includes(name));
  const set = sql.join(
    replaced.map((name) => sql`${sql.identifier(name)} = excluded.${sql.identifier(name)}`),
    sql`, `,
  );
  return sql`${insertRows(checks, rows)} ON CONFLICT (certificate_id, source) DO UPDATE SET ${set}
    WHERE CASE WHEN revocation_checks.status = 'revoked' THEN
        ifnull(excluded.this_update, 0) >= revocation_checks.this_update
      ELSE excluded.status <> 'unavailable' OR ifnull(revocation_checks.next_update, 0) < ${now} END`;
}

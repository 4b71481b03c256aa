/**
 * Validates the chains of all certificates in use, and checks their policies, once a day. A scheduled job, so that
 * the report, filters and notices are at most a day old.
 */

import { type SQL, sql } from "drizzle-orm";
import type { Context } from "../../../auth/mod.ts";
import { firstWithin } from "../../../base/bytes.ts";
import { DAY_MS, type Millis, startOfDay } from "../../../base/clock.ts";
import { AppError } from "../../../base/errors.ts";
import { MAX_CHAIN_BATCH, MAX_COMPLIANCE_CHECKS, MAX_LONG_TEXT_BYTES } from "../../../base/limits.ts";
import { logFailure } from "../../../base/log_failure.ts";
import { pacer, type Pause } from "../../../base/pace.ts";
import { idsIn, update } from "../../../db/mod.ts";
import { evaluation_progress } from "../../../db/schema/mod.ts";
import { longBytes, longFields } from "../../../resource/mod.ts";
import { revalidateChains } from "../../certificates/chain/validate_certificate.ts";
import { certificates, inUseSql } from "../../certificates/mod.ts";
import { bulkCheckCertificates } from "../../compliance/mod.ts";

/** Maximum time of a run: other jobs wait for it, and it continues a minute later. */
const RUN_MS = 20_000;

interface Progress {
  readonly began: Millis;
  /** The first certificate that is left; null if the round is complete. */
  readonly next: number | null;
  /** The trust data with which it began. */
  readonly trust: string;
}

/** Numbers of certificates. Those whose evaluation failed are in the log. */
interface Done {
  validated: number;
  checked: number;
  failed?: number;
}

/**
 * Continues the round of this day, or begins it when it is due or the trust data has changed, until all certificates are evaluated, the time of a
 * run is over, or the signal is aborted. A round that was interrupted continues where it was. Certificates that are
 * archived, replaced or otherwise not in use are left out. Returns how many were evaluated. Without a time in the
 * settings, a round that has begun is not continued. The run also ends when another process continues the round, and
 * when the clock is set back.
 */
export async function evaluateInUse(
  { ctx, signal }: { ctx: Context; signal?: AbortSignal | undefined },
): Promise<Done> {
  const done: Done = { validated: 0, checked: 0 };
  const { evaluationTime: time } = ctx.settings;
  const pause = pacer();
  await validateWaiting(ctx, { since: ctx.clock.now(), pause, done });
  if (time === null) return done;
  let progress = await readProgress(ctx);
  const { digest: trust } = await ctx.settings.distrust();
  // Without a digest, no round has begun yet.
  const isChanged = progress.trust !== "" && progress.trust !== trust;
  if (progress.next === null || isChanged) {
    const now = ctx.clock.now();
    if (!isChanged && !isDue(progress.began, { now, time })) return done;
    const begun = { began: now, next: 0, trust };
    if (!await storeProgress(ctx, progress, begun)) return done;
    progress = begun;
  }
  const started = ctx.clock.now();
  const isOver = (now: Millis): boolean => now < started || now >= started + RUN_MS;
  while (progress.next !== null && !signal?.aborted && !isOver(ctx.clock.now())) {
    const batch = await nextBatch(ctx, progress.next);
    const failed = await evaluateBatch(ctx, batch, { since: progress.began, pause, done });
    if (failed.length > 0) done.failed = (done.failed ?? 0) + failed.length;
    const after: Progress = { ...progress, next: batch.next };
    if (!await storeProgress(ctx, progress, after)) break;
    progress = after;
    await pause();
  }
  return done;
}

/** Validates chains whose issuer was stored since their last validation. Those that fail wait for the daily round. */
async function validateWaiting(ctx: Context, evaluation: Evaluation): Promise<void> {
  const waiting = await ctx.database.all<{ id: number }>(
    sql`SELECT id FROM certificates INDEXED BY certificates_awaiting_chain WHERE chain_validated_at IS NULL AND chain_status IS NOT NULL
        LIMIT ${MAX_CHAIN_BATCH}`,
  );
  const failed = new Map<number, unknown>();
  await eachOrAll(waiting.map(({ id }) => id), failed, async (ids) => {
    evaluation.done.validated += await revalidateChains(ctx, { ids, ...evaluation });
  });
  if (failed.size === 0) return;
  await ctx.database.write((tx) =>
    tx.run(sql`UPDATE certificates SET chain_validated_at = 0 WHERE id IN ${idsIn([...failed.keys()])}`)
  );
}

interface Evaluation {
  readonly since: Millis;
  readonly pause: Pause;
  readonly done: Done;
}

/**
 * Evaluates a batch. Returns the ids of certificates whose evaluation failed, such as one whose stored text is damaged:
 * they do not prevent that of the others. Errors: unavailable.
 */
async function evaluateBatch(ctx: Context, batch: Batch, evaluation: Evaluation): Promise<number[]> {
  const failed = new Map<number, unknown>();
  // Policies can depend on the result of the chain.
  await eachOrAll(batch.ids, failed, async (ids) => {
    evaluation.done.validated += await revalidateChains(ctx, { ids, ...evaluation });
  });
  if (batch.policies > 0) {
    await eachOrAll(batch.ids, failed, async (ids) => {
      const { processed } = await bulkCheckCertificates({ ctx, input: { certificate_ids: ids } });
      evaluation.done.checked += processed;
    });
  }
  const ids = [...failed.keys()];
  const [error] = failed.values();
  if (ids.length > 0) logFailure(ctx.log, "certificates not evaluated", { ids, error });
  return ids;
}

/**
 * Does work for all ids at once or, if that fails, for each one. Adds errors to `failed`, the last one for each id.
 * Errors: unavailable, because this does not depend on the certificate.
 */
async function eachOrAll(
  ids: number[],
  failed: Map<number, unknown>,
  work: (ids: number[]) => Promise<void>,
): Promise<void> {
  if (ids.length === 0) return;
  try {
    await work(ids);
  } catch (error) {
    if (error instanceof AppError && error.code === "unavailable") throw error;
    for (const id of ids) {
      if (ids.length === 1) failed.set(id, error);
      else await eachOrAll([id], failed, work);
    }
  }
}

/**
 * Returns whether the scheduled time has passed since the last round began. A round that began in the future was
 * recorded by a clock that was ahead, and does not count.
 */
function isDue(began: Millis, { now, time }: { now: Millis; time: Millis }): boolean {
  const scheduled = startOfDay(now) + time;
  return began > now || began < (scheduled > now ? scheduled - DAY_MS : scheduled);
}

async function readProgress({ database }: Context): Promise<Progress> {
  const [row = { began: 0, next: null, trust: "" }] = await database.all<Progress>(
    sql`SELECT round_began AS began, next_certificate AS next, trust_digest AS trust FROM ${evaluation_progress}`,
  );
  return row;
}

/** Stores the progress, unless another process has changed it since it was `before`. Returns whether it is stored. */
async function storeProgress({ database }: Context, before: Progress, after: Progress): Promise<boolean> {
  const unchanged = sql`round_began = ${before.began} AND next_certificate IS ${before.next}`;
  const stored = await database.write((tx) =>
    tx.run(
      update(evaluation_progress).set({
        round_began: after.began,
        next_certificate: after.next,
        trust_digest: after.trust,
      }).where(unchanged),
    )
  );
  return stored > 0;
}

/**
 * The next certificates in use, few enough for one compliance run and for the long texts that a transaction reads, and
 * where the ones after them begin.
 */
interface Batch {
  readonly ids: number[];
  /** Number of enabled policies. */
  readonly policies: number;
  readonly next: number | null;
}

async function nextBatch({ database }: Context, from: number): Promise<Batch> {
  const policies = sql`(SELECT count(*) FROM compliance_policies WHERE enabled = 1)`;
  const size: SQL = sql`max(1, min(${MAX_CHAIN_BATCH}, ${MAX_COMPLIANCE_CHECKS} / max(1, ${policies})))`;
  const bytes = longBytes(certificates, longFields(certificates)) ?? sql`0`;
  const found = await database.all<{ id: number; used: number; policies: number; bytes: number }>(
    sql`SELECT id, ${
      inUseSql("certificates")
    } AS used, ${policies} AS policies, ${bytes} AS bytes FROM certificates
        WHERE id >= ${from} ORDER BY id LIMIT ${size}`,
  );
  const rows = firstWithin(found, MAX_LONG_TEXT_BYTES);
  const last = rows.at(-1);
  return {
    ids: rows.filter(({ used }) => used === 1).map(({ id }) => id),
    policies: last?.policies ?? 0,
    next: last === undefined ? null : last.id + 1,
  };
}

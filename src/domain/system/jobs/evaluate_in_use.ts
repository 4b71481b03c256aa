/**
 * Validates the chains of all certificates in use, and checks their policies, once a day. A scheduled job, so that
 * the report, filters and notices are at most a day old.
 */

import { type SQL, sql } from "drizzle-orm";
import type { Context } from "../../../auth/mod.ts";
import { DAY_MS, type Millis, startOfDay } from "../../../base/clock.ts";
import { firstWithin } from "../../../base/bytes.ts";
import { MAX_CHAIN_BATCH, MAX_COMPLIANCE_CHECKS, MAX_LONG_TEXT_BYTES } from "../../../base/limits.ts";
import { pacer } from "../../../base/pace.ts";
import { update } from "../../../db/mod.ts";
import { evaluation_progress } from "../../../db/schema/mod.ts";
import { longBytes, longFields } from "../../../resource/mod.ts";
import { revalidateChains } from "../../certificates/chain/mod.ts";
import { certificates, inUseSql } from "../../certificates/mod.ts";
import { bulkCheckCertificates } from "../../compliance/mod.ts";

/** Maximum time of a run: other jobs wait for it, and it continues a minute later. */
const RUN_MS = 20_000;

interface Progress {
  readonly began: Millis;
  /** The first certificate that is left; null if the round is complete. */
  readonly next: number | null;
}

/**
 * Continues the round of this day, or begins it when it is due, until all certificates are evaluated, the time of a
 * run is over, or the signal is aborted. A round that was interrupted continues where it was. Certificates that are
 * archived, replaced or otherwise not in use are left out. Returns how many were evaluated.
 */
export async function evaluateInUse(
  { ctx, signal }: { ctx: Context; signal?: AbortSignal | undefined },
): Promise<{ validated: number; checked: number }> {
  const done = { validated: 0, checked: 0 };
  let progress = await readProgress(ctx);
  if (progress.next === null) {
    const now = ctx.clock.now();
    if (!isDue(progress.began, { now, time: ctx.settings.evaluationTime })) return done;
    progress = await storeProgress(ctx, { began: now, next: 0 });
  }
  const pause = pacer();
  const latest = ctx.clock.now() + RUN_MS;
  while (progress.next !== null && !signal?.aborted && ctx.clock.now() < latest) {
    const { ids, policies, next } = await nextBatch(ctx, progress.next);
    if (ids.length > 0) {
      // Policies can depend on the result of the chain.
      done.validated += await revalidateChains(ctx, { ids, since: progress.began, pause });
      if (policies > 0) {
        const { processed } = await bulkCheckCertificates({ ctx, input: { certificate_ids: ids } });
        done.checked += processed;
      }
    }
    progress = await storeProgress(ctx, { ...progress, next });
    await pause();
  }
  return done;
}

/**
 * Returns whether the scheduled time has passed since the last round began. A round that began in the future was
 * recorded by a clock that was ahead, and does not count.
 */
function isDue(began: Millis, { now, time }: { now: Millis; time: Millis | null }): boolean {
  if (time === null) return false;
  const today = startOfDay(now) + time;
  return began > now || began < (today > now ? today - DAY_MS : today);
}

async function readProgress({ database }: Context): Promise<Progress> {
  const [row] = await database.all<Progress>(
    sql`SELECT round_began AS began, next_certificate AS next FROM ${evaluation_progress}`,
  );
  return row as Progress;
}

async function storeProgress({ database }: Context, progress: Progress): Promise<Progress> {
  await database.write((tx) =>
    tx.run(update(evaluation_progress).set({ round_began: progress.began, next_certificate: progress.next }))
  );
  return progress;
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

/** Sets the status of expired certificates, with change records and events as for any other change. */

import { type SQL, sql } from "drizzle-orm";
import { z } from "zod";
import { type Context, restrictionSql } from "../../../auth/mod.ts";
import { firstWithin } from "../../../base/bytes.ts";
import { HOUR_MS } from "../../../base/clock.ts";
import { MAX_BULK_OBJECTS, MAX_LONG_TEXT_BYTES } from "../../../base/limits.ts";
import { andAll, type Cell, insertInto } from "../../../db/mod.ts";
import { leases } from "../../../db/schema/mod.ts";
import { type Condition, isEverything } from "../../../filters/mod.ts";
import { NO_INPUT, operation } from "../../../operation/mod.ts";
import { longBytes, longFields } from "../../../resource/mod.ts";
import { type CertificateRow, certificates, changeStored, isExpired } from "../mod.ts";

const Sweep = z.object({
  expired_count: z.int(),
  restored_count: z.int().describe(
    "Certificates whose earlier status was restored, because a sweep had run while the clock was ahead.",
  ),
});

/** One direction of a sweep. */
interface Step {
  /** Selects the certificates to change. */
  readonly condition: SQL;
  /** Checks a certificate again in the transaction, because it may have changed since it was selected. */
  readonly due: (row: CertificateRow) => boolean;
  readonly columns: (row: CertificateRow) => Record<string, Cell>;
}

/**
 * Sets expired certificates that the caller may change to `expired`, and restores those that a sweep changed
 * while the clock was ahead. Errors: forbidden. One transaction per 1,000 certificates. The signal
 * stops the sweep between two of them.
 */
export const expirySweep = operation({
  needs: [["bulk_operations", certificates], ["change", certificates]],
  input: NO_INPUT,
  output: Sweep,
  run: async ({ ctx, allowed, signal }) => {
    const rows = allowed(certificates);
    const swept = await sweep(ctx, rows, signal);
    // The scheduler claims its own runs.
    if (ctx.actor.userId !== null && isEverything(rows)) await recordRun(ctx);
    return swept;
  },
});

/** The job that sweeps all certificates. */
export const SWEEP_JOB = { name: "expiry-sweep", intervalMs: HOUR_MS } as const;

/** Records a sweep of all certificates that a user has started as a run of the job, which metrics show. */
async function recordRun({ database, clock, actor }: Context): Promise<void> {
  const run = { owner: actor.username, until: clock.now() + SWEEP_JOB.intervalMs };
  await database.write((tx) =>
    tx.run(
      insertInto(leases).values({ name: SWEEP_JOB.name, ...run })
        .onConflictDoUpdate({ target: leases.name, set: run }),
    )
  );
}

async function sweep(
  ctx: Context,
  allowed: Condition,
  signal: AbortSignal | undefined,
): Promise<z.infer<typeof Sweep>> {
  // The same time for the whole sweep. The next sweep handles later expiries.
  const now = ctx.clock.now();
  const second = Math.floor(now / 1000) * 1000;
  const restore: Step = {
    condition: sql`certificates.expired_from IS NOT NULL AND certificates.valid_to >= ${second}
      AND certificates.status = 'expired'`,
    due: (row) => row.status === "expired" && row.expired_from !== null && !isExpired(row.valid_to, now),
    columns: ({ expired_from }) => ({ status: expired_from ?? "active", expired_from: null }),
  };
  const expire: Step = {
    condition: sql`certificates.status IN ('active', 'pending') AND certificates.valid_to < ${second}`,
    due: ({ status, valid_to }) => (status === "active" || status === "pending") && isExpired(valid_to, now),
    columns: ({ status }) => ({ status: "expired", expired_from: status }),
  };
  const steps = [restore, expire];
  const swept = { expired_count: 0, restored_count: 0 };
  while (signal?.aborted !== true) {
    const ids = await findIds(ctx, allowed, steps);
    if (ids.length === 0) break;
    const before = await changeStored(
      { ctx, allowed, ids },
      (row) => steps.find(({ due }) => due(row))?.columns(row),
    );
    const rows = [...before.values()];
    swept.restored_count += rows.filter(restore.due).length;
    swept.expired_count += rows.filter(expire.due).length;
  }
  return swept;
}

/**
 * Finds certificates for all steps with one statement, as many as a transaction may read including their long
 * texts. Each step has its own index.
 */
async function findIds(ctx: Context, allowed: Condition, steps: readonly Step[]): Promise<number[]> {
  const { map } = certificates;
  const restriction = restrictionSql(ctx, allowed, { map });
  const bytes = longBytes(certificates, longFields(certificates)) ?? sql`0`;
  const found = steps.map(({ condition }) =>
    sql`SELECT certificates.id AS id, ${bytes} AS bytes FROM certificates WHERE ${
      andAll(condition, restriction)
    }`
  );
  const rows = await ctx.database.all<{ id: number; bytes: number }>(
    sql`${sql.join(found, sql` UNION ALL `)} LIMIT ${MAX_BULK_OBJECTS}`,
  );
  return firstWithin(rows, MAX_LONG_TEXT_BYTES).map((row) => row.id);
}

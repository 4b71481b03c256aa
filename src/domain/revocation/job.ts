/** Checks certificates in use when they enter the inventory, and again before their evidence ends. */

import { type SQL, sql } from "drizzle-orm";
import type { Context } from "../../auth/mod.ts";
import type { Millis } from "../../base/clock.ts";
import { pacer } from "../../base/pace.ts";
import { idsIn } from "../../db/mod.ts";
import { inUseSql } from "../certificates/mod.ts";

/** Maximum time of a run: other jobs wait for it, and it continues a minute later. */
const RUN_MS = 20_000;
/** Number of certificates that are checked together. */
const BATCH = 100;
/** Number of certificates that are looked at together. */
const LOOKED_AT = 1_000;

/** Only these can stop being revoked. */
const IS_HELD = sql`certificates.status = 'revoked' AND certificates.revocation_reason = 'certificate_hold'`;

/**
 * Checks certificates that are due until none is left, the time of a run is over, or the signal is aborted. What was
 * checked is stored in batches, so an interrupted run loses at most one. Without checks in the settings, answers that
 * have ended do not count any more.
 */
export async function checkDue(
  { ctx, signal }: { ctx: Context; signal?: AbortSignal | undefined },
): Promise<{ checked: number }> {
  if (ctx.settings.revocation.mode === "off" || ctx.send === undefined) {
    await forgetEnded(ctx);
    return { checked: 0 };
  }
  const checked = await eachDue({ ctx, signal }, {
    column: "revocation_due",
    used: sql`(${inUseSql("certificates")} OR ${IS_HELD})`,
    check: async (ids) => (await import("./ask.ts")).checkAll(ctx, ids, { fetches: true, fresh: false }),
  });
  // A run without any work writes nothing, and loads nothing.
  if (checked > 0) await (await import("./open_list.ts")).pruneLists(ctx);
  return { checked };
}

/**
 * Calls `check` with batches of the certificates whose time in `column` has come, until none is left, the time of a run
 * is over, or the signal is aborted. `check` returns how many have a result, and stores when they are due next. Those
 * that do not match `used` are due again when their status changes. Returns the sum; one statement if none is due.
 */
export async function eachDue(
  { ctx, signal }: { ctx: Context; signal?: AbortSignal | undefined },
  { column, used, check }: {
    column: "revocation_due" | "renewal_info_due";
    used: SQL;
    check: (ids: readonly number[]) => Promise<number>;
  },
): Promise<number> {
  const { database, clock } = ctx;
  const started = clock.now();
  const pause = pacer();
  const isOver = (now: Millis): boolean => now < started || now >= started + RUN_MS;
  const due = sql.identifier(column);
  let sum = 0;
  while (!signal?.aborted && !isOver(clock.now())) {
    const rows = await database.all<{ id: number; used: number }>(
      sql`SELECT id, ${used} AS used FROM certificates INDEXED BY ${sql.identifier(`certificates_${column}`)}
          WHERE ${due} IS NOT NULL AND ${due} <= ${started} ORDER BY ${due}, id LIMIT ${LOOKED_AT}`,
    );
    if (rows.length === 0) break;
    const unused = rows.filter((row) => row.used !== 1).map(({ id }) => id);
    if (unused.length > 0) {
      await database.write((tx) =>
        tx.run(sql`UPDATE certificates SET ${due} = NULL WHERE id IN ${idsIn(unused)}`)
      );
    }
    const ids = rows.filter((row) => row.used === 1).slice(0, BATCH).map(({ id }) => id);
    const checked = await check(ids);
    sum += checked;
    // The others are due again a minute later.
    if (ids.length > 0 && checked === 0) break;
    await pause();
  }
  return sum;
}

async function forgetEnded({ database, clock }: Context): Promise<void> {
  await database.write((tx) =>
    tx.run(
      sql`UPDATE certificates SET revocation_status = 'not_checked' WHERE id IN (SELECT id FROM certificates
        WHERE revocation_due IS NOT NULL AND revocation_due BETWEEN 1 AND ${clock.now()}
          AND revocation_status IN ('good', 'unknown', 'unavailable') AND NOT EXISTS (SELECT 1 FROM revocation_checks
            WHERE certificate_id = certificates.id AND next_update >= ${clock.now()}) LIMIT ${LOOKED_AT})`,
    )
  );
}

/**
 * Moves chains that were stored with each certificate to where each chain is stored once. A scheduled job.
 */

import { sql } from "drizzle-orm";
import type { Context } from "../../../auth/mod.ts";
import { firstWithin } from "../../../base/bytes.ts";
import { WRITTEN_PLAIN_CHARS } from "../../../base/limits.ts";
import { pacer } from "../../../base/pace.ts";
import { deleteFrom, idsIn, select, type Transaction, update } from "../../../db/mod.ts";
import { unshared_issuer_chains } from "../../../db/schema/mod.ts";
import { storeShared } from "../../../resource/mod.ts";
import { ISSUER_CHAINS } from "../mod.ts";

/** Number of certificates per transaction: with usual chains it takes a few milliseconds. */
const BATCH = 100;

/**
 * Moves all of them, or stops at the signal. Returns their number. Records no change, because the texts stay
 * the same.
 */
export async function shareStoredChains(
  { ctx, signal }: { ctx: Context; signal?: AbortSignal | undefined },
): Promise<{ chains_moved: number }> {
  const pause = pacer();
  let count = 0;
  while (signal?.aborted !== true) {
    const open = select({ next: unshared_issuer_chains.next_certificate }).from(unshared_issuer_chains);
    if ((await ctx.database.all(open)).length === 0) break;
    count += await ctx.database.write(moveBatch);
    await pause();
  }
  return { chains_moved: count };
}

interface Text {
  readonly id: number;
  readonly bytes: number;
}

async function moveBatch(tx: Transaction): Promise<number> {
  const texts = await tx.all<Text>(
    sql`SELECT certificate_id AS id, octet_length(issuer_chain) AS bytes
        FROM ${unshared_issuer_chains} AS open JOIN certificate_texts
          ON certificate_id BETWEEN open.next_certificate AND open.last_certificate
        ORDER BY certificate_id LIMIT ${BATCH}`,
  );
  const batch = firstWithin(texts, WRITTEN_PLAIN_CHARS);
  const last = batch.at(-1);
  if (last === undefined) {
    await tx.run(deleteFrom(unshared_issuer_chains));
    return 0;
  }
  const ids = batch.filter(({ bytes }) => bytes > 0).map(({ id }) => id);
  if (ids.length > 0) {
    const chains = await tx.all<{ id: number; text: string }>(
      sql`SELECT certificate_id AS id, issuer_chain AS text FROM certificate_texts
          WHERE certificate_id IN ${idsIn(ids)} ORDER BY certificate_id`,
    );
    await tx.runAll([
      ...storeShared(ISSUER_CHAINS, chains),
      sql`UPDATE certificate_texts SET issuer_chain = '' WHERE certificate_id IN ${idsIn(ids)}`,
    ]);
  }
  await tx.run(update(unshared_issuer_chains).set({ next_certificate: last.id + 1 }));
  return ids.length;
}

/**
 * Determines the findings of certificates that were stored before findings existed. A scheduled job; writes
 * store them now.
 */

import { sql } from "drizzle-orm";
import type { Context } from "../../../auth/mod.ts";
import { inSlices, pacer } from "../../../base/pace.ts";
import { type Cell, idsIn } from "../../../db/mod.ts";
import { EVERYTHING } from "../../../filters/mod.ts";
import { readingCertificates } from "../../../x509/mod.ts";
import { changeStored, findingsColumn, pemTextSql, readPemText } from "../mod.ts";

/** Number of certificates read at a time: their transaction takes a few milliseconds. */
const BATCH = 100;

interface Unread {
  readonly id: number;
  readonly pem: string | null;
}

/**
 * Processes all of them, or stops at the signal. Returns their number. Only certificates with findings
 * change, with change records.
 */
export async function readMissingFindings(
  { ctx, signal }: { ctx: Context; signal?: AbortSignal | undefined },
): Promise<{ findings_read: number }> {
  const pause = pacer();
  let count = 0;
  while (signal?.aborted !== true) {
    const rows = await ctx.database.all<Unread>(
      sql`SELECT certificates.id AS id, ${pemTextSql("texts")} AS pem FROM certificates
          LEFT JOIN certificate_texts AS texts ON texts.certificate_id = certificates.id
          WHERE certificates.findings IS NULL AND certificates.has_pem = 1 ORDER BY certificates.id LIMIT ${BATCH}`,
    );
    if (rows.length === 0) break;
    const read = new Map<number, { pem: string; findings: Cell }>();
    for (const row of rows) {
      const { id } = row;
      const pem = readPemText(row.pem);
      const { members: [member] } = await inSlices(readingCertificates(pem), pause);
      read.set(id, {
        pem,
        findings: member === undefined ? "[]" : findingsColumn(member.certificate),
      });
    }
    const found = [...read.keys()].filter((id) => read.get(id)!.findings !== "[]");
    if (found.length > 0) await storeFound(ctx, read, found);
    // Certificates without findings, and those that were deleted or changed in the meantime, whose findings
    // are stored already.
    await ctx.database.write((tx) =>
      tx.run(
        sql`UPDATE certificates SET findings = '[]' WHERE findings IS NULL AND id IN ${
          idsIn([...read.keys()])
        }`,
      )
    );
    count += rows.length;
  }
  return { findings_read: count };
}

async function storeFound(
  ctx: Context,
  read: ReadonlyMap<number, { pem: string; findings: Cell }>,
  ids: readonly number[],
): Promise<void> {
  // One at a time, because the long texts of many rows may exceed what a transaction reads.
  for (const id of ids) {
    await changeStored({ ctx, allowed: EVERYTHING, ids: [id] }, ({ findings, pem_content }) => {
      const one = read.get(id)!;
      return findings === null && pem_content === one.pem ? { findings: one.findings } : undefined;
    });
  }
}

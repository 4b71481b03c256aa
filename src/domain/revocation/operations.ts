/** Checks for revocation that users ask for. */

import { sql } from "drizzle-orm";
import { z } from "zod";
import { type Context, restrictionSql } from "../../auth/mod.ts";
import { AppError, notFound } from "../../base/errors.ts";
import { MAX_CHAIN_BATCH, RETRY_AFTER_S } from "../../base/limits.ts";
import { logFailure } from "../../base/log_failure.ts";
import { inBackground } from "../../base/pace.ts";
import { wait } from "../../base/wait.ts";
import { formatDatetime, type Millis } from "../../base/clock.ts";
import { andAll, idsIn, perDatabase } from "../../db/mod.ts";
import { revocation_checks } from "../../db/schema/mod.ts";
import type { Condition } from "../../filters/mod.ts";
import { NO_INPUT, objectBody, operation } from "../../operation/mod.ts";
import { idList } from "../../resource/mod.ts";
import { certificates, REVOCATION_STATUSES } from "../certificates/mod.ts";
import { SOURCES } from "./evidence.ts";

/** Loads the code that asks, which a start does not need. */
function loadCheck(): Promise<typeof import("./ask.ts")> {
  return import("./ask.ts");
}

/** How long a request waits. The check continues, and its result is stored. */
const WAIT_MS = 10_000;

/** Maximum number of checks of a process at the same time: each may read a list of 16 MB. */
const MAX_RUNNING = 8;
const runningIn = perDatabase(() => new Map<number, Promise<void>>());

const Status = z.enum(REVOCATION_STATUSES);
const time = z.string().nullable();

/** The state of a certificate with its newest evidence. */
const Evidence = z.object({
  id: z.int().nullable().describe("Of the evidence; null without any."),
  certificate: z.int(),
  source: z.enum(SOURCES).nullable(),
  source_url: z.string(),
  status: Status,
  reason: z.string(),
  revoked_at: time,
  this_update: time,
  next_update: time,
  signer: z.string(),
  response_sha256: z.string(),
  message: z.string(),
  checked_at: time,
});

/**
 * Asks the authority of a certificate whether it is revoked, and waits at most ten seconds. Errors: forbidden,
 * not_found.
 */
export const checkRevocation = operation({
  needs: [["change", certificates]],
  input: NO_INPUT,
  output: Evidence,
  run: async ({ ctx, id, allowed }) => {
    if ((await namesOf(ctx, allowed(certificates), [id])).length === 0) throw notFound();
    const running = runningIn(ctx.database);
    // A second request for the same certificate waits for the same check.
    if (!running.has(id) && running.size >= MAX_RUNNING) {
      throw new AppError("unavailable", `${MAX_RUNNING} checks are running already.`, {
        headers: { "Retry-After": String(RETRY_AFTER_S) },
      });
    }
    // A second request for the same certificate waits for the same check.
    const checked = running.getOrInsertComputed(id, () =>
      inBackground(async () => {
        await (await loadCheck()).checkAll(ctx, [id], { fetches: true, fresh: true });
      }).finally(() => running.delete(id)));
    const done = new AbortController();
    const failed = checked.catch((error) => logFailure(ctx.log, "revocation not checked", { id, error }));
    await Promise.race([failed.then(() => done.abort()), wait(WAIT_MS, done.signal)]);
    return await newestEvidence(ctx, id);
  },
});

/** Statuses of certificates about which nothing is known. */
const OPEN: readonly string[] = ["not_checked", "unavailable"];

const BulkCheck = z.object({
  total: z.int(),
  processed: z.int().describe("Number of certificates that were found."),
  revoked: z.int(),
  missing_ids: z.array(z.int()),
  results: z.array(z.object({
    id: z.int(),
    common_name: z.string(),
    status: Status,
    reason: z.string(),
    revoked_at: time,
    checked_at: time,
  })),
});

/**
 * Checks many certificates against the lists that are kept, without a request. The others are due at once, so a job
 * asks about them within a minute. Errors: forbidden, invalid.
 */
export const bulkCheckRevocation = operation({
  needs: [["bulk_operations", certificates], ["change", certificates]],
  input: objectBody({ ids: idList(MAX_CHAIN_BATCH) }),
  output: BulkCheck,
  run: async ({ ctx, input: { ids }, allowed }) => {
    const found = (await namesOf(ctx, allowed(certificates), ids)).map(({ id }) => id);
    await (await loadCheck()).checkAll(ctx, found, { fetches: false, fresh: false });
    const rows = await namesOf(ctx, allowed(certificates), found);
    const open = rows.filter(({ status }) => OPEN.includes(status)).map(({ id }) => id);
    if (open.length > 0) {
      await ctx.database.write((tx) =>
        tx.run(sql`UPDATE certificates SET revocation_due = 0 WHERE id IN ${idsIn(open)}`)
      );
    }
    return {
      total: ids.length,
      processed: rows.length,
      revoked: rows.filter(({ status }) => status === "revoked").length,
      missing_ids: ids.filter((id) => !found.includes(id)),
      results: rows.map(({ revoked_at, checked_at, ...row }) => ({
        ...row,
        revoked_at: textOf(revoked_at),
        checked_at: textOf(checked_at),
      })),
    };
  },
});

function textOf(at: Millis | null): string | null {
  return at === null ? null : formatDatetime(at);
}

interface Named {
  readonly id: number;
  readonly common_name: string;
  readonly status: z.infer<typeof Status>;
  readonly reason: string;
  readonly revoked_at: Millis | null;
  readonly checked_at: Millis | null;
}

/** Returns the certificates of `ids` that match `allowed`, in their order. One statement. */
async function namesOf(ctx: Context, allowed: Condition, ids: readonly number[]): Promise<Named[]> {
  const condition = andAll(
    sql`certificates.id IN ${idsIn(ids)}`,
    restrictionSql(ctx, allowed, { map: certificates.map }),
  );
  const rows = await ctx.database.all<Named>(
    sql`SELECT certificates.id, common_name, revocation_status AS status, revocation_reason AS reason, revoked_at,
      revocation_checked_at AS checked_at FROM certificates WHERE ${condition}`,
  );
  const byId = new Map(rows.map((row) => [row.id, row]));
  return ids.flatMap((id) => byId.get(id) ?? []);
}

/** Returns the state of a certificate with its newest evidence. One statement. */
async function newestEvidence({ database }: Context, id: number): Promise<z.infer<typeof Evidence>> {
  type Row =
    & Omit<z.infer<typeof Evidence>, "revoked_at" | "this_update" | "next_update" | "checked_at">
    & {
      [K in "revoked_at" | "this_update" | "next_update" | "checked_at"]: Millis | null;
    };
  const [row] = await database.all<Row>(
    sql`SELECT checks.id AS id, certificates.id AS certificate, source, ifnull(source_url, '') AS source_url,
        revocation_status AS status, revocation_reason AS reason, certificates.revoked_at AS revoked_at, this_update,
        next_update, ifnull(signer, '') AS signer, ifnull(response_sha256, '') AS response_sha256,
        ifnull(message, '') AS message, revocation_checked_at AS checked_at
      FROM certificates LEFT JOIN ${revocation_checks} AS checks ON checks.certificate_id = certificates.id
      WHERE certificates.id = ${id}
      ORDER BY checks.status = revocation_status DESC, checks.checked_at DESC, checks.id DESC LIMIT 1`,
  );
  if (row === undefined) throw notFound();
  return {
    ...row,
    revoked_at: textOf(row.revoked_at),
    this_update: textOf(row.this_update),
    next_update: textOf(row.next_update),
    checked_at: textOf(row.checked_at),
  };
}

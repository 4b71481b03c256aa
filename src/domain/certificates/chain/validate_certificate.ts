/** Validates the chains of certificates and stores the results. */

import { encoded } from "../../../base/findings.ts";
import { sql } from "drizzle-orm";
import { z } from "zod";
import { type Context, SERVICE_ACTOR, visibleSql } from "../../../auth/mod.ts";
import { AppError, notFound } from "../../../base/errors.ts";
import { DAY_MS, formatDatetime, type Millis, parseDatetime } from "../../../base/clock.ts";
import { MAX_CHAIN_BATCH } from "../../../base/limits.ts";
import { pacer, type Pause } from "../../../base/pace.ts";
import { shorten } from "../../../base/quote.ts";
import type { Cell, Transaction } from "../../../db/mod.ts";
import { certificate_authorities } from "../../../db/schema/mod.ts";
import { compare, type Condition, type FilterOperator, or } from "../../../filters/mod.ts";
import { objectBody, operation } from "../../../operation/mod.ts";
import { DATETIME, documented, expectedError, idList, unexpected } from "../../../resource/mod.ts";
import type { ChainResult } from "../../../x509/chain/mod.ts";
import { authorityFinder, type FindAuthority } from "../issuing_authority.ts";
import { type CertificateRow, certificates, changeStored } from "../mod.ts";
import { loadTexts, type StoredTexts, validateStored } from "./validate_stored.ts";
import { PolicyInput, policyInputsOf } from "./policy_input.ts";
import { BulkChainValidation, chainResponse, ChainValidation, MAX_NAME, NO_PEM } from "./responses.ts";
import { first } from "../../../base/first.ts";

const expected = `an ISO 8601 datetime such as ${formatDatetime(Date.UTC(2026, 10, 20, 9))}`;
const Time = documented(
  z.string(expectedError(expected)).transform((given, context) => {
    const at = parseDatetime(given);
    if (at !== undefined) return at;
    context.addIssue({ code: "custom", message: encoded(unexpected(expected, given)) });
    return z.NEVER;
  }),
  { anyOf: [DATETIME, { type: "string", format: "date" }] },
);

/**
 * Validates the chain of a certificate. Stores the result, unless `at` or `policy` differ from the defaults.
 * Errors: forbidden, not_found, invalid (no PEM, invalid `at` or `policy`), conflict.
 */
export const validateCertificateChain = operation({
  needs: [["change", certificates]],
  input: objectBody({
    at: Time.nullish().describe(
      "Time of the validation: a datetime, or a date (00:00:00 UTC); null: now.",
    ),
    policy: PolicyInput.nullish().describe(
      "Initial inputs of certificate policy processing (RFC 5280 §6.1.1); null: the defaults.",
    ),
  }).optional(),
  output: ChainValidation,
  run: async ({ ctx, id, input, ...run }) => {
    const allowed = run.allowed(certificates);
    const at = input?.at ?? undefined;
    const policy = policyInputsOf(input?.policy);
    const texts = (await loadTexts(ctx, allowed, [id])).get(id);
    if (texts === undefined) throw notFound();
    if (texts.pem_content === "") throw new AppError("invalid", NO_PEM);
    const validatedAt = ctx.clock.now();
    const pause = pacer();
    const result = first(await validateStored(ctx, [texts], { at: at ?? validatedAt, policy, pause }));
    if (at === undefined && policy === undefined) {
      const maps = [certificates.map, ctx.mapOf("certmgr.certificateauthority")];
      const stored = maps.every((map) => visibleSql(ctx, map) === undefined)
        ? result
        : first(await validateStored(forService(ctx), [texts], { at: validatedAt, pause }));
      await pause();
      await store({ ctx, allowed, validatedAt }, [{ id, texts, result: stored }]);
    }
    return chainResponse(result, validatedAt);
  },
});

/**
 * Validates many chains, one after another. Stores all results or none. Errors: forbidden, invalid, conflict.
 */
export const bulkValidateChains = operation({
  needs: [["bulk_operations", certificates], ["change", certificates]],
  input: objectBody({ ids: idList(MAX_CHAIN_BATCH) }),
  output: BulkChainValidation,
  run: async ({ ctx, input: { ids }, ...run }) => {
    const allowed = run.allowed(certificates);
    const found = await loadTexts(ctx, allowed, ids);
    const validatedAt = ctx.clock.now();
    const pause = pacer();
    const results = await validateAll(ctx, found, { at: validatedAt, pause });
    const unread = [...found].flatMap(([id, texts]) =>
      texts.pem_content === "" ? [{ id, texts, result: WITHOUT_PEM }] : []
    );
    await pause();
    await store({ ctx, allowed, validatedAt }, [...results, ...unread]);
    return summarize(ids, found, new Map(results.map(({ id, result }) => [id, result])));
  },
});

interface ValidatedChain {
  readonly id: number;
  readonly texts: StoredTexts;
  readonly result: Pick<
    ChainResult,
    "status" | "isValid" | "depth" | "message" | "complete" | "path" | "publiclyTrusted" | "failures"
  >;
}

/** The result of a certificate without PEM among several. */
const WITHOUT_PEM = {
  status: "parse_error",
  isValid: false,
  depth: 0,
  message: NO_PEM,
  complete: false,
  publiclyTrusted: false,
  failures: [],
  path: [],
} as const;

function summarize(
  ids: readonly number[],
  found: ReadonlyMap<number, StoredTexts>,
  byId: ReadonlyMap<number, ValidatedChain["result"]>,
): BulkChainValidation {
  const results = ids.filter((id) => found.has(id)).map((id) => {
    const { status, isValid, message, depth } = byId.get(id) ?? WITHOUT_PEM;
    return {
      id,
      common_name: shorten(found.get(id)?.common_name ?? "", MAX_NAME),
      status,
      is_valid: isValid,
      message,
      chain_depth: depth,
    };
  });
  const valid = results.filter((result) => result.is_valid).length;
  return {
    validated_count: results.length,
    valid_count: valid,
    invalid_count: results.length - valid,
    missing_ids: ids.filter((id) => !found.has(id)),
    results,
  };
}

/**
 * Validates the chains of those certificates of `ids` that have a PEM and have not been validated since `since`, and
 * stores the results. A certificate that is changed, validated or deleted during the validation is skipped. Returns the
 * number of stored results. For the service itself.
 */
export async function revalidateChains(
  ctx: Context,
  { ids, since, pause }: { ids: readonly number[]; since: Millis; pause: Pause },
): Promise<number> {
  const validatedAt = ctx.clock.now();
  const due = validatedBefore(since, validatedAt);
  const found = await loadTexts(ctx, due, ids);
  const results = await validateAll(ctx, found, { at: validatedAt, pause });
  if (results.length === 0) return 0;
  // A changed row must match, too.
  const allowed = or(due, validated("exact", validatedAt));
  return await store({ ctx, allowed, validatedAt, skipsChanged: true }, results);
}

/**
 * Matches chains that have not been validated since `since`. A time more than a day ahead was recorded by a clock that
 * was ahead; one that is less ahead can be that of a validation during this one.
 */
function validatedBefore(since: Millis, now: Millis): Condition {
  return or(validated("isnull", true), validated("lt", since), validated("gt", now + DAY_MS));
}

function validated(operator: FilterOperator, value: Millis | true): Condition {
  return compare("chain_validated_at", operator, [value]);
}

/** With all anchors and issuers: what is stored does not depend on the caller. */
function forService(ctx: Context): Context {
  return { ...ctx, actor: SERVICE_ACTOR };
}

/** Validates the chains of all certificates that have a PEM, one after another. */
async function validateAll(
  ctx: Context,
  found: ReadonlyMap<number, StoredTexts>,
  { at, pause }: { at: Millis; pause: Pause },
): Promise<ValidatedChain[]> {
  const readable = [...found.values()].filter(({ pem_content }) => pem_content !== "");
  const results = await validateStored(forService(ctx), readable, { at, pause });
  return readable.map((texts, index) => ({ id: texts.id, texts, result: results[index]! }));
}

/**
 * Returns the nearest authority on the path, unless a user chose one. An issuer whose signature is invalid, or was not
 * verified, does not count.
 */
function authorityColumns(
  { issuing_ca_id: before, issuing_ca_found: isFound }: CertificateRow,
  { status, complete }: ValidatedChain["result"],
  authorities: readonly (number | null)[],
): Record<string, Cell> {
  if (before !== null && isFound === 0) return {};
  const verified = status === "invalid_signature" ? authorities.slice(0, 1) : authorities;
  const nearest = verified.find((id) => id !== null);
  return { issuing_ca_id: nearest ?? (complete ? null : before), issuing_ca_found: 1 };
}

/**
 * Stores when the certificates of authorities on a path expire, if these have no PEM and it is later than what is known.
 * One statement for each of them.
 */
async function storeExpiries(
  tx: Transaction,
  { path, complete, status }: ValidatedChain["result"],
  { authorities, latest }: { authorities: readonly (number | null)[]; latest: Map<number, number> },
): Promise<void> {
  // Without an anchor, the certificate of an issuer can be a forged one.
  if (!complete || status === "invalid_signature") return;
  for (const [index, { certificate: { validity: { notAfter: expires } } }] of path.slice(1).entries()) {
    const id = authorities[index] ?? 0;
    if (expires <= (latest.get(id) ?? Infinity)) continue;
    latest.set(id, expires);
    await tx.run(sql`UPDATE ${certificate_authorities} SET valid_to = ${expires} WHERE id = ${id}`);
  }
}

/**
 * Stores results. Returns their number. Errors: conflict (the texts changed during the validation), unless such
 * certificates are skipped.
 */
async function store(
  { ctx, allowed, validatedAt, skipsChanged = false }: {
    ctx: Context;
    allowed: Condition;
    validatedAt: Millis;
    skipsChanged?: boolean;
  },
  results: readonly ValidatedChain[],
): Promise<number> {
  const byId = new Map(results.map((one) => [one.id, one]));
  const skipped = new Set<number>();
  let authorityOf: FindAuthority | undefined;
  const found = await changeStored(
    { ctx, allowed, ids: [...byId.keys()] },
    async (row: CertificateRow, tx: Transaction): Promise<Record<string, Cell> | undefined> => {
      const one = byId.get(row.id);
      if (one === undefined) return undefined;
      if (row.pem_content !== one.texts.pem_content || row.issuer_chain_sha256 !== one.texts.chain_sha256) {
        if (skipsChanged) return void skipped.add(one.id);
        throw new AppError(
          "conflict",
          `Certificate ${row.id} was changed while its chain was validated. Try again.`,
        );
      }
      const { status, isValid, depth, message, publiclyTrusted, failures } = one.result;
      const find = authorityOf ??= await authorityFinder(tx);
      const authorities = one.result.path.map(({ certificate: { issuer, authorityKeyId } }) =>
        find(issuer.text, authorityKeyId?.toHex() ?? null)
      );
      await storeExpiries(tx, one.result, { authorities, latest: find.latest });
      return {
        chain_status: status,
        chain_is_valid: Number(isValid),
        chain_depth: depth,
        chain_validation_message: message,
        chain_validated_at: validatedAt,
        chain_errors: JSON.stringify([...new Set(failures.map(({ code }) => code))]),
        publicly_trusted: Number(publiclyTrusted),
        ...authorityColumns(row, one.result, authorities),
      };
    },
  );
  return found.size - skipped.size;
}

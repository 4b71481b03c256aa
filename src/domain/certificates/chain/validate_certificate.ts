/** Validates the chains of certificates and stores the results. */

import { z } from "zod";
import type { Context } from "../../../auth/mod.ts";
import { AppError, notFound } from "../../../base/errors.ts";
import { formatDatetime, type Millis, parseDatetime } from "../../../base/clock.ts";
import { MAX_CHAIN_BATCH } from "../../../base/limits.ts";
import type { Cell, Row } from "../../../db/mod.ts";
import type { Condition } from "../../../filters/mod.ts";
import { objectBody, operation } from "../../../operation/mod.ts";
import { DATETIME, documented, idList, quote, wants } from "../../../resource/mod.ts";
import type { ChainResult } from "../../../x509/chain/mod.ts";
import { certificates, changeStored } from "../mod.ts";
import { trustAnchors } from "./anchors.ts";
import { judge } from "./judge.ts";
import { PolicyInput, policyInputsOf } from "./policy_input.ts";
import { loadTexts, type StoredTexts } from "./texts.ts";
import { BulkChainValidation, chainAnswer, ChainValidation, NO_PEM } from "./answers.ts";

const expected = `Expected an ISO 8601 datetime such as ${formatDatetime(Date.UTC(2026, 10, 20, 9))}`;
const Time = documented(
  z.string(wants(expected)).transform((given, context) => {
    const at = parseDatetime(given);
    if (at !== undefined) return at;
    context.addIssue({ code: "custom", message: `${expected}, not ${quote(given)}.` });
    return z.NEVER;
  }),
  { anyOf: [DATETIME, { type: "string", format: "date" }] },
);

/**
 * Validates one certificate's chain, now or at another time, and with other policy inputs than the default; such
 * a result is not stored. Errors: forbidden, not_found, invalid (no PEM, bad `at` or `policy`), conflict.
 */
export const validateCertificateChain = operation({
  needs: [["change", certificates]],
  input: objectBody({
    at: Time.nullish().describe(
      "Time to validate at, a datetime or a date (its first second, UTC); null: now.",
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
    const judged = ctx.clock.now();
    const verdict = await judge(ctx, texts, { at: at ?? judged, anchors: await trustAnchors(ctx), policy });
    if (at === undefined && policy === undefined) {
      await store({ ctx, allowed, judged }, [{ id, texts, verdict }]);
    }
    return chainAnswer(verdict, judged);
  },
});

/** Validates many chains, one after the other, and stores all results or none. Errors: forbidden, invalid, conflict. */
export const bulkValidateChains = operation({
  needs: [["bulk_operations", certificates], ["change", certificates]],
  input: objectBody({ ids: idList(MAX_CHAIN_BATCH) }),
  output: BulkChainValidation,
  run: async ({ ctx, input: { ids }, ...run }) => {
    const allowed = run.allowed(certificates);
    const found = await loadTexts(ctx, allowed, ids);
    const anchors = await trustAnchors(ctx);
    const judged = ctx.clock.now();
    const verdicts: Judged[] = [];
    for (const [id, texts] of found) {
      if (texts.pem_content === "") continue;
      verdicts.push({ id, texts, verdict: await judge(ctx, texts, { at: judged, anchors }) });
      // Other requests have their turn between two certificates.
      await new Promise((resolve) => setTimeout(resolve, 0));
    }
    await store({ ctx, allowed, judged }, verdicts);
    return summarize(ids, found, new Map(verdicts.map(({ id, verdict }) => [id, verdict])));
  },
});

interface Judged {
  readonly id: number;
  readonly texts: StoredTexts;
  readonly verdict: ChainResult;
}

function summarize(
  ids: readonly number[],
  found: ReadonlyMap<number, StoredTexts>,
  verdicts: ReadonlyMap<number, ChainResult>,
): BulkChainValidation {
  const results = ids.filter((id) => found.has(id)).map((id) => {
    const verdict = verdicts.get(id);
    return {
      id,
      common_name: found.get(id)?.common_name ?? "",
      status: verdict?.status ?? "parse_error" as const,
      is_valid: verdict?.isValid ?? false,
      message: verdict?.message ?? NO_PEM,
      chain_depth: verdict?.depth ?? 0,
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

/** Stores results for texts that have not changed since; a result for other texts would be wrong. */
async function store(
  { ctx, allowed, judged }: { ctx: Context; allowed: Condition; judged: Millis },
  verdicts: readonly Judged[],
): Promise<void> {
  const byId = new Map(verdicts.map((one) => [one.id, one]));
  await changeStored(
    { ctx, allowed, ids: [...byId.keys()] },
    (row: Row): Record<string, Cell> | undefined => {
      const one = byId.get(row.id as number);
      if (one === undefined) return undefined;
      if (row.pem_content !== one.texts.pem_content || row.issuer_chain !== one.texts.issuer_chain) {
        throw new AppError(
          "conflict",
          `Certificate ${row.id} was changed while its chain was validated. Try again.`,
        );
      }
      const { status, isValid, depth, message } = one.verdict;
      return {
        chain_status: status,
        chain_is_valid: Number(isValid),
        chain_depth: depth,
        chain_validation_message: message,
        chain_validated_at: judged,
      };
    },
  );
}

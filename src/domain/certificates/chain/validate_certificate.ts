/** Validates the chains of certificates and stores the verdicts. */

import { authorize, type Context } from "../../../auth/mod.ts";
import { AppError, invalid, notFound } from "../../../base/errors.ts";
import { formatDatetime, type Millis, parseDatetime } from "../../../base/clock.ts";
import { MAX_CHAIN_BATCH } from "../../../base/limits.ts";
import type { Cell, Row } from "../../../db/mod.ts";
import { and, type Condition } from "../../../filters/mod.ts";
import { quote, readIdList } from "../../../resource/mod.ts";
import type { ChainResult, PolicyInputs } from "../../../x509/chain/mod.ts";
import { certificates, changeStored } from "../mod.ts";
import { trustAnchors } from "./anchors.ts";
import { judge } from "./judge.ts";
import { loadTexts, type StoredTexts } from "./texts.ts";
import { readPolicyInputs } from "./policy_input.ts";
import { type BulkVerdicts, NO_PEM, type VerdictAnswer, verdictAnswer } from "./answers.ts";

/**
 * Validates one certificate's chain. `{"at": <datetime>}` validates at another time, `{"policy": {…}}` with other
 * policy inputs than the default; such an answer is not stored.
 * Errors: forbidden, not_found, invalid (no PEM, bad `at` or `policy`), conflict.
 */
export async function validateCertificateChain(
  { ctx, id, input }: { ctx: Context; id: number; input: unknown },
): Promise<VerdictAnswer> {
  const allowed = authorize(ctx, "change", certificates.objectType);
  const { at, policy } = readOptions(input);
  const texts = (await loadTexts(ctx, allowed, [id])).get(id);
  if (texts === undefined) throw notFound();
  if (texts.pem_content === "") throw new AppError("invalid", NO_PEM);
  const judged = ctx.clock.now();
  const verdict = await judge(ctx, texts, { at: at ?? judged, anchors: await trustAnchors(ctx), policy });
  if (at === undefined && policy === undefined) {
    await store({ ctx, allowed, judged }, [{ id, texts, verdict }]);
  }
  return verdictAnswer(verdict, judged);
}

/** Validates `{ids}`, one after the other, and stores all verdicts at once. Errors: forbidden, invalid, conflict. */
export async function bulkValidateChains(
  { ctx, input }: { ctx: Context; input: unknown },
): Promise<BulkVerdicts> {
  const { objectType } = certificates;
  const allowed = and(authorize(ctx, "bulk_operations", objectType), authorize(ctx, "change", objectType));
  const ids = readIdList(input, { field: "ids", max: MAX_CHAIN_BATCH });
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
}

interface Judged {
  readonly id: number;
  readonly texts: StoredTexts;
  readonly verdict: ChainResult;
}

function summarize(
  ids: readonly number[],
  found: ReadonlyMap<number, StoredTexts>,
  verdicts: ReadonlyMap<number, ChainResult>,
): BulkVerdicts {
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

/** Stores verdicts about texts that are still the stored ones; a verdict about others would be a wrong answer. */
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

/** Reads the body of a validation. Errors: invalid. */
function readOptions(input: unknown): { at?: Millis | undefined; policy?: PolicyInputs | undefined } {
  if (input === undefined || input === null) return {};
  if (typeof input !== "object" || Array.isArray(input)) {
    throw new AppError("invalid", `Expected an object, not ${quote(input)}.`);
  }
  const { at, policy } = input as { at?: unknown; policy?: unknown };
  return { at: readMoment(at), policy: readPolicyInputs(policy) };
}

function readMoment(at: unknown): Millis | undefined {
  if (at === undefined || at === null) return undefined;
  const moment = typeof at === "string" ? parseDatetime(at) : undefined;
  if (moment !== undefined) return moment;
  throw invalid({
    at: [
      `Expected an ISO 8601 datetime such as ${formatDatetime(Date.UTC(2026, 10, 20, 9))}, not ${quote(at)}.`,
    ],
  });
}

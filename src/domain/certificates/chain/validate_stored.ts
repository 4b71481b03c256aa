/** Validates the chains of stored certificates. */

import type { Context } from "../../../auth/mod.ts";
import type { Millis } from "../../../base/clock.ts";
import { inSlices, pacer, type Pause } from "../../../base/pace.ts";
import type { AnchorIndex, ChainResult, PolicyInputs } from "../../../x509/chain/mod.ts";
import { trustAnchors } from "./anchors.ts";
import { isOpen, withStoredIssuers } from "./stored_issuers.ts";
import type { StoredTexts } from "./texts.ts";

type Texts = Pick<StoredTexts, "pem_content" | "issuer_chain">;

/** Inputs of a validation other than the certificates. */
export interface StoredValidation {
  readonly at: Millis;
  readonly policy?: PolicyInputs | undefined;
  /** May be shared by validations that run one after another. */
  readonly pause?: Pause;
}

/**
 * Validates chains as of the time `at`, one after another. If some are not complete, stored CA certificates that the
 * caller may view are tried as issuers. Two statements, one more after a change of the anchors.
 */
export async function validateStored(
  ctx: Context,
  many: readonly Texts[],
  { pause = pacer(), ...inputs }: StoredValidation,
): Promise<ChainResult[]> {
  const anchors = await trustAnchors(ctx);
  const results: ChainResult[] = [];
  for (const texts of many) results.push(await validateTexts(ctx, texts, { ...inputs, anchors, pause }));
  const open = results.filter(isOpen);
  if (open.length === 0) return results;
  const extended = await withStoredIssuers(ctx, open, { anchors, pause });
  if (extended === undefined) return results;
  for (const [index, alone] of results.entries()) {
    if (!isOpen(alone)) continue;
    const found = await validateTexts(ctx, many[index]!, {
      ...inputs,
      anchors: extended,
      pause,
    });
    if (isBetter(found, alone)) results[index] = found;
  }
  return results;
}

/** Returns whether stored issuers lead further. One with another key of the same name does not. */
function isBetter(found: ChainResult, alone: ChainResult): boolean {
  if (found.isValid) return found.complete || !alone.isValid;
  return !alone.isValid && found.path.length > alone.path.length &&
    !found.failures.some(({ code }) => code === "bad_signature");
}

async function validateTexts(
  { settings }: Context,
  { pem_content, issuer_chain }: Texts,
  { policy, pause, ...request }: StoredValidation & { anchors: AnchorIndex; pause: Pause },
): Promise<ChainResult> {
  const { readingChainInput, validateChain } = await import("../../../x509/chain/mod.ts");
  const input = await inSlices(readingChainInput(pem_content, issuer_chain), pause);
  return await validateChain({
    ...input,
    ...request,
    ...(policy === undefined ? {} : { policy }),
    requireRoot: settings.chainRequireRoot,
    pause,
  });
}

/** Validates the chain of a stored certificate for a page, and stores nothing. */

import { authorize, type Context } from "../../../auth/mod.ts";
import { notFound } from "../../../base/errors.ts";
import type { PathFailure } from "../../../x509/chain/mod.ts";
import { certificates } from "../mod.ts";
import { trustAnchors } from "./anchors.ts";
import { chainResponse, type ChainValidation } from "./responses.ts";
import { validateStored } from "./validate_stored.ts";
import { loadTexts } from "./texts.ts";

/** The result, with each failure next to the certificate that causes it. */
export interface ChainView extends ChainValidation {
  /** `is_ca`: `cA` of the basic constraints (RFC 5280 §4.2.1.9). */
  readonly certificates: (ChainValidation["certificates"][number] & { readonly is_ca: boolean })[];
  readonly failures: readonly PathFailure[];
}

/**
 * Validates a chain for a caller who may view the certificate; undefined if it has no PEM. Errors: forbidden,
 * not_found.
 */
export async function viewChain({ ctx, id }: { ctx: Context; id: number }): Promise<ChainView | undefined> {
  const allowed = authorize(ctx, "view", certificates.map);
  const texts = (await loadTexts(ctx, allowed, [id])).get(id);
  if (texts === undefined) throw notFound();
  if (texts.pem_content === "") return undefined;
  const now = ctx.clock.now();
  const result = await validateStored(ctx, texts, { at: now, anchors: await trustAnchors(ctx) });
  const answer = chainResponse(result, now);
  const path = answer.certificates.map((entry, index) => ({
    ...entry,
    is_ca: result.path[index]?.certificate.basicConstraints?.ca === true,
  }));
  return { ...answer, certificates: path, failures: result.failures };
}

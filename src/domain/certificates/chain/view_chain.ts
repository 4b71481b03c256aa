/** Returns the chain of a stored certificate for a page, and all its details, and stores nothing. */

import { authorize, type Context } from "../../../auth/mod.ts";
import { AppError, notFound } from "../../../base/errors.ts";
import { inSlices } from "../../../base/pace.ts";
import type { PathFailure } from "../../../x509/chain/mod.ts";
import { readingCertificates } from "../../../x509/mod.ts";
import { certificates } from "../mod.ts";
import { describeCertificate } from "./details.ts";
import { chainResponse, type ChainValidation } from "./responses.ts";
import { loadTexts, validateStored } from "./validate_stored.ts";
import { first } from "../../../base/first.ts";

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
  const result = first(await validateStored(ctx, [texts], { at: now }));
  const answer = chainResponse(result, now);
  const path = answer.certificates.map((entry, index) => ({
    ...entry,
    is_ca: result.path[index]?.certificate.basicConstraints?.ca === true,
  }));
  return { ...answer, certificates: path, failures: result.failures };
}

/** Describes a certificate from its PEM. Errors: forbidden, not_found, invalid (it has no PEM). */
export async function describeStored(
  { ctx, id }: { ctx: Context; id: number },
): Promise<ReturnType<typeof describeCertificate>> {
  const allowed = authorize(ctx, "view", certificates.map);
  const texts = (await loadTexts(ctx, allowed, [id])).get(id);
  if (texts === undefined) throw notFound();
  const { members: [member] } = await inSlices(readingCertificates(texts.pem_content));
  if (member === undefined) throw new AppError("invalid", "Certificate has no PEM content to describe.");
  return describeCertificate(member.certificate);
}

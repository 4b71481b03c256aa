/** A stored certificate's chain as it stands now, to be looked at: nothing is stored. */

import { authorize, type Context } from "../../../auth/mod.ts";
import { notFound } from "../../../base/errors.ts";
import type { Failure } from "../../../x509/chain/mod.ts";
import { certificates } from "../mod.ts";
import { trustAnchors } from "./anchors.ts";
import { chainAnswer, type ChainValidation } from "./answers.ts";
import { judge } from "./judge.ts";
import { loadTexts } from "./texts.ts";

/** The verdict, and which certificate of the path is to blame for what. */
export interface ChainView extends ChainValidation {
  /** `is_ca`: whether its basic constraints say that it is an authority (RFC 5280 §4.2.1.9). */
  readonly certificates: (ChainValidation["certificates"][number] & { readonly is_ca: boolean })[];
  readonly failures: readonly Failure[];
}

/** Judges the chain of a certificate that the caller may view; undefined without PEM. Errors: forbidden, not_found. */
export async function viewChain({ ctx, id }: { ctx: Context; id: number }): Promise<ChainView | undefined> {
  const allowed = authorize(ctx, "view", certificates.objectType);
  const texts = (await loadTexts(ctx, allowed, [id])).get(id);
  if (texts === undefined) throw notFound();
  if (texts.pem_content === "") return undefined;
  const now = ctx.clock.now();
  const verdict = await judge(ctx, texts, { at: now, anchors: await trustAnchors(ctx) });
  const answer = chainAnswer(verdict, now);
  const path = answer.certificates.map((entry, index) => ({
    ...entry,
    is_ca: verdict.path[index]?.certificate.basicConstraints?.ca === true,
  }));
  return { ...answer, certificates: path, failures: verdict.failures };
}

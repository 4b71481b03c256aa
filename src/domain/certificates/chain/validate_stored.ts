/** Validates the chain of a stored certificate. */

import type { Context } from "../../../auth/mod.ts";
import type { Millis } from "../../../base/clock.ts";
import { inSlices, pacer, type Pause } from "../../../base/pace.ts";
import type { AnchorIndex, ChainResult, PolicyInputs } from "../../../x509/chain/mod.ts";
import type { StoredTexts } from "./texts.ts";

/** Inputs of a validation other than the certificates. */
export interface StoredValidation {
  readonly at: Millis;
  readonly anchors: AnchorIndex;
  readonly policy?: PolicyInputs | undefined;
  /** May be shared by validations that run one after another. */
  readonly pause?: Pause;
}

/** Validates the chain as of the time `at`. */
export async function validateStored(
  { settings }: Context,
  { pem_content, issuer_chain }: Pick<StoredTexts, "pem_content" | "issuer_chain">,
  { at, anchors, policy, pause = pacer() }: StoredValidation,
): Promise<ChainResult> {
  const { readingChainInput, validateChain } = await import("../../../x509/chain/mod.ts");
  const input = await inSlices(readingChainInput(pem_content, issuer_chain), pause);
  return await validateChain({
    ...input,
    anchors,
    at,
    ...(policy === undefined ? {} : { policy }),
    requireRoot: settings.chainRequireRoot,
    pause,
  });
}

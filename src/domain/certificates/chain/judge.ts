/** What the engine says of a stored certificate. */

import type { Context } from "../../../auth/mod.ts";
import type { Millis } from "../../../base/clock.ts";
import { inSlices, pacer } from "../../../base/pace.ts";
import {
  type AnchorIndex,
  type ChainResult,
  type PolicyInputs,
  readingChainInput,
  validateChain,
} from "../../../x509/chain/mod.ts";
import type { StoredTexts } from "./texts.ts";

/** The verdict at a moment. */
export async function judge(
  { settings }: Context,
  { pem_content, issuer_chain }: StoredTexts,
  { at, anchors, policy }: { at: Millis; anchors: AnchorIndex; policy?: PolicyInputs | undefined },
): Promise<ChainResult> {
  const pause = pacer();
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

/** What the engine says of a stored certificate. */

import type { Context } from "../../access/mod.ts";
import type { Millis } from "../../base/clock.ts";
import {
  type AnchorIndex,
  chainInputFromPem,
  type ChainVerdict,
  validateChain,
} from "../../x509/chain/mod.ts";
import type { StoredTexts } from "./texts.ts";

/** The verdict at a moment. */
export function judge(
  { settings }: Context,
  { pem_content, issuer_chain }: StoredTexts,
  { at, anchors }: { at: Millis; anchors: AnchorIndex },
): Promise<ChainVerdict> {
  const input = chainInputFromPem(pem_content, issuer_chain);
  return validateChain({ ...input, anchors, at, requireRoot: settings.chainRequireRoot });
}

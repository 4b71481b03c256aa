/** Chain validation (RFC 5280 §6): `validateChain`, its input and its result. Needs no permission. */

export { type AnchorIndex, indexAnchors } from "./anchors.ts";
export { chainInputFromPem, MAX_CHAIN_CHARS, readingChainInput } from "./chain_input.ts";
export type { Distrust, DistrustReason } from "./distrust.ts";
export { DEFAULT_POLICY_INPUTS, type PolicyInputs, type PolicySets } from "./policies/mod.ts";
export { type SignatureInput, type SignatureResult, verifySignature } from "./signature/mod.ts";
export type { Anchor, ChainRequest, ChainResult, PathFailure } from "./types.ts";
export { validateChain } from "./validate.ts";

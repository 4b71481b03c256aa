/** Chain validation (RFC 5280 §6): `validateChain`, its input and its result. Needs no permission. */

export { type AnchorIndex, indexAnchors } from "./anchors.ts";
export { type ChainInput, chainInputFromPem, readingChainInput } from "./chain_input.ts";
export type { ChainLimits } from "./limits.ts";
export { ANY_POLICY, DEFAULT_POLICY_INPUTS, type PolicyInputs, type PolicySets } from "./policies/mod.ts";
export { type SignatureInput, type SignatureResult, verifySignature } from "./signature/mod.ts";
export type {
  Anchor,
  AnchorKind,
  CertificateSource,
  ChainRequest,
  ChainResult,
  ChainStatus,
  PathFailure,
  PathMember,
  UnreadableFile,
} from "./types.ts";
export { validateChain } from "./validate.ts";

/** Chains of stored certificates, and what the certificates say in full. */

export type { BulkVerdicts, VerdictAnswer } from "./answers.ts";
export { describeStored } from "./describe_stored.ts";
export { PolicyInput } from "./policy_input.ts";
export { bulkValidateChains, validateCertificateChain } from "./validate_certificate.ts";
export { type ChainView, viewChain } from "./view_chain.ts";

/** Chains and details of stored certificates. */

export { trustAnchors } from "./anchors.ts";
export { CertificateDetails } from "./details_schema.ts";
export { bulkValidateChains, revalidateChains, validateCertificateChain } from "./validate_certificate.ts";
export { validateStored } from "./validate_stored.ts";
export { type ChainView, describeStored, viewChain } from "./view_chain.ts";

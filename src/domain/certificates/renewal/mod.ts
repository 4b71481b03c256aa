/** Renewal of certificates. */

export { importRenewing, renewCertificate } from "./renew.ts";
export { type Copyable, copyableFields } from "./copy_to_successor.ts";
export { chosenPem, successorPem } from "./successor_file.ts";
export { RenewalCandidate, renewalCandidates } from "./renewal_candidates.ts";

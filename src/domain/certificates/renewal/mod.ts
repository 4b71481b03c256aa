/** Renewal: from a certificate to its successor. */

export { lostNames } from "./names.ts";
export { renewCertificate } from "./renew.ts";
export { RenewalCandidate, renewalCandidates } from "./renewal_candidates.ts";

/** Renewal: from a certificate to its successor. */

export { lostNames } from "./names.ts";
export { type Renewal, renewCertificate } from "./renew.ts";
export { renewalCandidates } from "./renewal_candidates.ts";

/** Renewal of certificates. */

export { renewCertificate } from "./renew.ts";
export { chosenPem, successorPem } from "./successor_file.ts";
export { RenewalCandidate, renewalCandidates } from "./renewal_candidates.ts";
export { fingerprintOf, hasSameKey, lifeInDays, type RenewalWarning, renewalWarnings } from "./warnings.ts";

/** Revocation lists (RFC 5280 §5, §6.3), and what they have in common with OCSP responses. */

export { answerOfList, checkList } from "./check_crl.ts";
export { readCrl, type RevocationList } from "./crl.ts";
export { reasonOf } from "./reasons.ts";
export {
  fault,
  issuersOf,
  type RevocationAnswer,
  type RevocationFault,
  signedBy,
  timeFault,
} from "./types.ts";

/** Advice: what follows from the facts about an object, as codes with parameters that interfaces put into words. */

export {
  adviseOnCertificate,
  certificateAdvice,
  failedChecks,
  isAuthority,
  isBeforeStart,
  isReplacedInUse,
  isRevokedInUse,
} from "./certificate_advice.ts";
export {
  type CertificateFacts,
  countRevokedTogether,
  loadAssignments,
  loadCertificateFacts,
  MAX_FACTS,
  SEVERAL_REVOKED,
} from "./certificate_facts.ts";
export { awaitsStart, faultOf, isOwnTimeOnly, lacksRoot } from "./chain_fault.ts";
export {
  adviseOnEndpoint,
  endpointAdvice,
  type EndpointFacts,
  endpointRights,
  loadEndpointFacts,
} from "./endpoint_advice.ts";
export {
  type Action,
  CertificateAdvice,
  type ChainFault,
  EndpointAdvice,
  type RequestAdvice,
} from "./schema.ts";
export { mayAddCertificates, requestAdvice } from "./request_advice.ts";
export { deploymentOf, hasProblem, type Serving, type ServingEndpoints, troubled } from "./serving.ts";

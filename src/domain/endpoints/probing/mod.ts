/** Probes endpoints, evaluates what they present, and stores the results. */

export { bulkProbe, NO_SOCKETS, probeEndpoint } from "./probe_endpoint.ts";
export { pushObservations } from "./push.ts";
export { MAX_PUSHED } from "./push_input.ts";
export { markSilentAgents, pruneObservations } from "./prune_observations.ts";
export { probeDue, Prober, startProbing } from "./service.ts";
export { settleReports } from "./settle.ts";

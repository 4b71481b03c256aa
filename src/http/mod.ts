/**
 * Outgoing HTTP requests, protected against server-side request forgery. The entry point chooses the
 * implementation: `send_guarded.ts` uses sockets, `send_by_fetch.ts` is for platforms without them.
 */

export {
  type AllowedHosts,
  checkTarget,
  isAddress,
  parseAllowedHosts,
  PUBLIC_ONLY,
} from "./check_address.ts";
export { refuseProbe } from "./special_addresses.ts";
export { OutboundError, type OutboundReply, type OutboundRequest, type Send } from "./request.ts";

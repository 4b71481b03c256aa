/**
 * Requests that the service sends out: the one guarded place of them. An entry chooses how: `send_guarded.ts` over
 * sockets of its own, `send_by_fetch.ts` where there are none.
 */

export { type AllowedHosts, parseAllowedHosts, PUBLIC_ONLY } from "./allowed_hosts.ts";
export { checkTarget } from "./check_address.ts";
export {
  OutboundError,
  type OutboundReply,
  type OutboundRequest,
  type Resolver,
  type Send,
} from "./request.ts";

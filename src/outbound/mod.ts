/** Requests that the service sends out: the one guarded place of them. */

export { type AllowedHosts, parseAllowedHosts, PUBLIC_ONLY } from "./allowed_hosts.ts";
export { judgeTarget } from "./judge.ts";
export {
  OutboundError,
  type OutboundReply,
  type OutboundRequest,
  type Resolver,
  type Send,
} from "./request.ts";
export { sendByFetch } from "./send_by_fetch.ts";
export { sendGuarded } from "./send_guarded.ts";

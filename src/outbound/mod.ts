/** Requests that the service sends out: the one guarded place of them. */

export { type AllowedHosts, parseAllowedHosts, PUBLIC_ONLY } from "./allowed_hosts.ts";
export { judgeTarget } from "./judge.ts";

/** Certificate authorities. */

export { authorities } from "./resource.ts";
export { IS_WAITING, reopenChains } from "./waiting_chains.ts";

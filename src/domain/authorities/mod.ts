/** Certificate authorities. */

export { authorities, IS_WAITING, reopenChains } from "./resource.ts";

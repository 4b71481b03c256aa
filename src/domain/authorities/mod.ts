/** Certificate authorities. */

export { authorities } from "./resource.ts";

/** The change log. */

export { objectChanges } from "./resource.ts";

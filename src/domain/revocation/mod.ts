/** What authorities say about the revocation of certificates, with evidence. */

export { bulkCheckRevocation, checkRevocation } from "./operations.ts";
export { type RevocationCheck, revocationChecks, revocationLists } from "./evidence.ts";
export { eachByHost, type Fetched, fetchInTurn, type Leaving, SLOW_MS } from "./fetch.ts";
export { checkDue, eachDue } from "./job.ts";
export type { Staple } from "./store_stapled.ts";

/** Loads the code that stores what endpoints staple. */
export function loadStaples(): Promise<typeof import("./store_stapled.ts")> {
  return import("./store_stapled.ts");
}

/** ACME detection. */

export { bulkDetectAcme, detectAcme } from "./detect_acme.ts";

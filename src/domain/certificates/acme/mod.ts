/** ACME detection. */

export { type AcmeDetection, type AcmeDetections, bulkDetectAcme, detectAcme } from "./detect_acme.ts";

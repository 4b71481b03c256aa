/** Searches networks for endpoints that nobody has entered. */

export { runScanJob, startScanning } from "./run_scan_jobs.ts";
export { refusedNetwork, scan, type ScanHit, type ScanPlan } from "./scan.ts";
export { countTargets } from "../scan_targets.ts";
export { storeHits } from "./store_hits.ts";

/** Searches networks for unknown endpoints. */

export { runScanJob, startScanning } from "./run_scan_jobs.ts";
export { scan, type ScanHit, type ScanPlan } from "./scan.ts";
export { scannedEndpoint } from "./scanned_endpoint.ts";
export { countTargets, refusedNetworks } from "../scan_targets.ts";
export { storeHits } from "./store_hits.ts";

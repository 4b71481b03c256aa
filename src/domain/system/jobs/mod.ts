/** Scheduled work. */

export { claimRun } from "./claim_run.ts";
export { type Job, JOBS, runDueJobs, startJobs } from "./jobs.ts";

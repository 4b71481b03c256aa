/** Several processes that serve the same port. */

export { numberOfWorkers, runWorkers, workersFault } from "./run_workers.ts";
export { shareState } from "./shared_state.ts";
export { readWorkerNumber, WorkerLink } from "./worker_link.ts";

/** Processor time, which, unlike elapsed time, does not depend on other programs on the machine. */

import process from "node:process";

/**
 * Returns the milliseconds of processor time that this thread has used: what blocks other requests. Test files run
 * next to each other in threads of one process, and password hashes run in separate threads; neither is counted.
 */
export function cpuMillis(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}

/** Returns the milliseconds of processor time that all threads of this process have used, password hashes included. */
export function processCpuMillis(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

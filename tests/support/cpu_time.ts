/** How much work was done: processor time, which waiting for other programs of the machine does not add to. */

import process from "node:process";

/** Milliseconds of processor time that this process has used, in all its threads. */
export function cpuMillis(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

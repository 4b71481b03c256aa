/** Shows the progress of a file that is being written. */

import { SingleBar } from "cli-progress";

/** Interval at which the size is read, in milliseconds. */
const POLL_MS = 100;
const MIB = 1024 * 1024;

/** Shows a bar while `work` writes the file at `path`, unless standard error is not a terminal. */
export async function withProgressBar<T>(
  { path, total, label }: { path: string; total: number; label: string },
  work: () => Promise<T>,
): Promise<T> {
  if (!Deno.stderr.isTerminal()) return await work();
  const bar = new SingleBar({
    format: `${label} {bar} {value}/{total} MiB`,
    clearOnComplete: true,
    hideCursor: true,
  });
  bar.start(Math.ceil(total / MIB), 0);
  const timer = setInterval(() => {
    Deno.stat(path).then(({ size }) => bar.update(Math.ceil(Math.min(size, total) / MIB)), () => {});
  }, POLL_MS);
  try {
    return await work();
  } finally {
    clearInterval(timer);
    bar.stop();
  }
}

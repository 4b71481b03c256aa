/** Signals that stop the service. */

/** The signals that this system sends to stop a process. */
export const STOP_SIGNALS: readonly Deno.Signal[] = Deno.build.os === "windows"
  ? ["SIGINT", "SIGBREAK"]
  : ["SIGINT", "SIGTERM"];

/** Exit code of a process that a second signal ended immediately. */
const EXIT_INTERRUPTED = 130;
/**
 * A single Ctrl-C arrives twice if a task runner forwards the signal that the terminal has already sent to
 * all processes.
 */
const SAME_SIGNAL_MS = 500;

/** Waits for the first signal. A second one ends the process immediately. */
export function untilSignal(): Promise<Deno.Signal> {
  return new Promise((resolve) => {
    let first: number | undefined;
    for (const signal of STOP_SIGNALS) {
      Deno.addSignalListener(signal, () => {
        const now = performance.now();
        if (first !== undefined && now - first > SAME_SIGNAL_MS) Deno.exit(EXIT_INTERRUPTED);
        first ??= now;
        resolve(signal);
      });
    }
  });
}

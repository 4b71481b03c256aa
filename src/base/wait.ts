/** Waits that a signal can end. */

/** Waits for `ms` milliseconds, or until the signal. */
export async function wait(ms: number, signal?: AbortSignal): Promise<void> {
  if (signal?.aborted === true) return;
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, ms);
  const stop = (): void => resolve();
  signal?.addEventListener("abort", stop, { once: true });
  await promise;
  clearTimeout(timer);
  signal?.removeEventListener("abort", stop);
}

/** Requests of commands to servers, which end when the server stops responding. */

/** Longest time without any part of a response, in milliseconds. */
const IDLE_MS = 60_000;

/**
 * Sends a request. Redirects are errors, because a token must not be sent to another host. `failed` converts
 * the runtime's errors, also those that occur while the body of the response is read.
 * @param options.idleMs Longest time without any part of the response, in milliseconds.
 */
export async function fetchPatiently(
  url: string,
  init: RequestInit & { client?: Deno.HttpClient },
  { idleMs = IDLE_MS, failed }: { idleMs?: number | undefined; failed: (error: unknown) => never },
): Promise<Response> {
  const idle = new AbortController();
  const signal = AbortSignal.any([idle.signal, ...init.signal ? [init.signal] : []]);
  // Only the time that the server needs counts, not that of the reader.
  async function patiently<T>(work: Promise<T>): Promise<T> {
    const timer = setTimeout(() => idle.abort(new DOMException("Signal timed out.", "TimeoutError")), idleMs);
    try {
      return await work;
    } catch (error) {
      // The error of a body that is cut off by the timer may be that of the connection.
      return failed(signal.aborted ? signal.reason : error);
    } finally {
      clearTimeout(timer);
    }
  }
  const response = await patiently(fetch(url, { ...init, signal, redirect: "error" }));
  if (response.body === null) return response;
  const reader = response.body.getReader();
  const parts = new ReadableStream<Uint8Array<ArrayBuffer>>({
    async pull(controller): Promise<void> {
      const { value, done } = await patiently(reader.read());
      if (done) controller.close();
      else controller.enqueue(value);
    },
    cancel: () => reader.cancel(),
  }, { highWaterMark: 0 });
  const { status, headers } = response;
  return new Response(parts, { status, headers });
}

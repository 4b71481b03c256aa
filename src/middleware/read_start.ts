/** Tells bodies that are in memory already from those that are still being produced. */

type Bytes = Uint8Array<ArrayBuffer>;

/** The whole body when it came in one chunk, else a stream of all of it. */
export type Start = { readonly whole: Bytes } | { readonly stream: ReadableStream<Bytes> };

/** Reads at most two chunks of a body. A body that fails within them becomes a stream that fails. */
export async function readStart(body: ReadableStream<Bytes>): Promise<Start> {
  const reader = body.getReader();
  const chunks: Bytes[] = [];
  try {
    while (chunks.length < 2) {
      const { value, done } = await reader.read();
      if (done) return { whole: chunks[0] ?? new Uint8Array() };
      chunks.push(value);
    }
  } catch (error) {
    return { stream: new ReadableStream({ start: (controller) => controller.error(error) }) };
  }
  return {
    stream: new ReadableStream<Bytes>({
      async pull(controller): Promise<void> {
        const chunk = chunks.shift() ?? (await reader.read()).value;
        if (chunk === undefined) controller.close();
        else controller.enqueue(chunk);
      },
      cancel: (reason) => reader.cancel(reason),
    }, { highWaterMark: 0 }),
  };
}

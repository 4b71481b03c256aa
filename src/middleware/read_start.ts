/** Tells bodies that are in memory already from those that are still being produced. */

type Bytes = Uint8Array<ArrayBuffer>;

/** The whole body when it came in one chunk, else a stream of all of it. */
export type Start = { readonly whole: Bytes } | { readonly stream: ReadableStream<Bytes> };

/** Reads at most two chunks of a body. Throws what the body throws in them. */
export async function readStart(body: ReadableStream<Bytes>): Promise<Start> {
  const reader = body.getReader();
  const first = await reader.read();
  if (first.done) return { whole: new Uint8Array() };
  const second = await reader.read();
  if (second.done) return { whole: first.value };
  const chunks = [first.value, second.value];
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

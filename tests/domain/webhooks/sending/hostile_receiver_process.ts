/**
 * A receiver that misbehaves as requested by the path of each request; each has a separate address (127.0.0.1, …2, …).
 */

const listener = Deno.listen({ hostname: "0.0.0.0", port: 0 });
console.log(`Listening on http://127.0.0.1:${listener.addr.port}/`);

const pause = (ms: number): Promise<void> => new Promise((done) => setTimeout(done, ms));

type Write = (text: string | Uint8Array) => Promise<void>;

const WAYS: Readonly<Record<string, (write: Write) => Promise<void>>> = {
  "500": (write) => write("HTTP/1.1 500 X\r\ncontent-length: 0\r\n\r\n"),
  "redirect": (write) =>
    write("HTTP/1.1 302 X\r\nlocation: http://127.0.0.1:1/\r\ncontent-length: 0\r\n\r\n"),
  "reset": () => Promise.resolve(),
  "hang": () => pause(60_000),
  async "big"(write): Promise<void> {
    await write("HTTP/1.1 200 X\r\ncontent-length: 104857600\r\n\r\n");
    for (let n = 0; n < 100; n++) await write(new Uint8Array(1_048_576));
  },
  async "slow"(write): Promise<void> {
    for (const letter of "HTTP/1.1 200 X\r\ncontent-length: 0\r\n\r\n") {
      await write(letter);
      await pause(100);
    }
  },
};

for await (const connection of listener) void serve(connection);

async function serve(connection: Deno.Conn): Promise<void> {
  try {
    const bytes = new Uint8Array(65_536);
    const length = await connection.read(bytes) ?? 0;
    const path = /^POST \/(\w+)/.exec(new TextDecoder().decode(bytes.subarray(0, length)))?.[1] ?? "500";
    await WAYS[path]?.(async (text) => {
      let left = typeof text === "string" ? new TextEncoder().encode(text) : text;
      while (left.length > 0) left = left.subarray(await connection.write(left));
    });
  } catch {
    // The service has disconnected.
  } finally {
    connection.close();
  }
}

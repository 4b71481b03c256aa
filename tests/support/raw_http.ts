/** Sends HTTP as bytes on a socket: requests that no HTTP library would send. */

/** A response as it was received. */
export interface RawAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

/** A connection to a service. */
export interface RawConnection extends Disposable {
  /** Sends bytes. Returns false if the service has closed the connection. */
  send(data: string | Uint8Array): Promise<boolean>;
  /** Closes the sending side of the connection. */
  end(): Promise<void>;
  /**
   * Waits for the next response with a `content-length`. Returns undefined if the connection is closed, or nothing
   * arrives in time.
   */
  answer(timeoutMs?: number): Promise<RawAnswer | undefined>;
  /** Waits until the service has closed the connection. Returns false if it has not done so in time. */
  closed(timeoutMs: number): Promise<boolean>;
}

const encoder = new TextEncoder();
const LATIN1 = new TextDecoder("latin1");

/** Connects to the address of a service. */
export async function connectRaw(url: string): Promise<RawConnection> {
  const { hostname, port } = new URL(url);
  const socket = await Deno.connect({ hostname, port: Number(port) });
  socket.setNoDelay(true);
  let received = "";
  let open = true;
  let reading: Promise<void> | undefined;

  async function readSome(): Promise<void> {
    const bytes = new Uint8Array(64 * 1024);
    const count = await socket.read(bytes).catch(() => null);
    if (count === null) open = false;
    else received += LATIN1.decode(bytes.subarray(0, count));
    reading = undefined;
  }

  /** Reads until `done` or the end of the connection. Returns false after the time limit. */
  async function until(done: () => boolean, timeoutMs: number): Promise<boolean> {
    const time = Promise.withResolvers<"late">();
    const timer = setTimeout(() => time.resolve("late"), timeoutMs);
    try {
      while (open && !done()) {
        if (await Promise.race([reading ??= readSome(), time.promise]) === "late") return false;
      }
      return true;
    } finally {
      clearTimeout(timer);
    }
  }

  return {
    async send(data): Promise<boolean> {
      const bytes = typeof data === "string" ? encoder.encode(data) : data;
      try {
        for (let at = 0; at < bytes.length;) at += await socket.write(bytes.subarray(at));
        return true;
      } catch {
        return false;
      }
    },
    end: () => socket.closeWrite().catch(() => {}),
    async answer(timeoutMs = 10_000): Promise<RawAnswer | undefined> {
      await until(() => lengthOf(received) <= received.length, timeoutMs);
      const length = lengthOf(received);
      if (length > received.length) return undefined;
      const answer = parse(received.slice(0, length));
      received = received.slice(length);
      return answer;
    },
    async closed(timeoutMs): Promise<boolean> {
      return await until(() => false, timeoutMs);
    },
    [Symbol.dispose](): void {
      socket.close();
    },
  };
}

/** Returns the number of characters of the first response in a text, or Infinity while its headers are not complete. */
function lengthOf(text: string): number {
  const end = text.indexOf("\r\n\r\n");
  if (end === -1) return Infinity;
  return end + 4 + Number(/\r\ncontent-length: *(\d+)/i.exec(text.slice(0, end))?.[1] ?? 0);
}

function parse(text: string): RawAnswer {
  const end = text.indexOf("\r\n\r\n");
  const [status = "", ...lines] = text.slice(0, end).split("\r\n");
  const headers = new Headers();
  for (const line of lines) {
    const at = line.indexOf(":");
    headers.append(line.slice(0, at), line.slice(at + 1).trim());
  }
  return { status: Number(status.split(" ")[1]), headers, text: text.slice(end + 4) };
}

/** Sends one request on a separate connection, and waits for the response. */
export async function askRaw(url: string, request: string | Uint8Array): Promise<RawAnswer | undefined> {
  using connection = await connectRaw(url);
  await connection.send(request);
  return await connection.answer();
}

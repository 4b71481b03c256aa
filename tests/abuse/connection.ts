/** Bytes on a connection, as no HTTP client would send them. */

import type { Sending } from "./input.ts";

const encoder = new TextEncoder();

/** Returns the head of a request; the caller sends the body. */
export function head(
  line: string,
  headers: Readonly<Record<string, string>> = {},
): Uint8Array<ArrayBuffer> {
  const all = {
    host: "127.0.0.1",
    "x-forwarded-for": "198.51.100.7",
    ...headers,
  };
  const fields = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`).join("");
  return encoder.encode(`${line} HTTP/1.1\r\n${fields}\r\n`);
}

/**
 * Sends chunks one after another and reads the status of the response: 0 if the service closes the connection without
 * one, or sends none within `waitMs` after the last chunk.
 */
export async function sendBytes(
  { target, signal }: Pick<Sending, "target" | "signal">,
  pieces: Iterable<Uint8Array>,
  { waitMs }: { waitMs: number },
): Promise<number> {
  using connection = await Deno.connect({
    hostname: "127.0.0.1",
    port: target.port,
  });
  const answer = readStatus(connection);
  // Reads and writes fail after the connection is closed, and are not needed then.
  await write(connection, { pieces, signal }).catch(() => {});
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<number>((resolve) => {
    timer = setTimeout(() => resolve(0), signal.aborted ? 0 : waitMs);
  });
  const status = await Promise.race([answer, late]);
  clearTimeout(timer);
  return status;
}

async function write(
  connection: Deno.Conn,
  { pieces, signal }: { pieces: Iterable<Uint8Array>; signal: AbortSignal },
): Promise<void> {
  for (const piece of pieces) {
    for (let sent = 0; sent < piece.length;) {
      if (signal.aborted) return;
      sent += await connection.write(piece.subarray(sent));
    }
  }
}

async function readStatus(connection: Deno.Conn): Promise<number> {
  const buffer = new Uint8Array(4_096);
  let text = "";
  try {
    while (!text.includes("\r\n")) {
      const count = await connection.read(buffer);
      if (count === null) return 0;
      text += new TextDecoder().decode(buffer.subarray(0, count));
    }
  } catch {
    return 0;
  }
  return Number(/^HTTP\/1\.[01] (\d{3})/.exec(text)?.[1] ?? 0);
}

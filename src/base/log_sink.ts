/** Takes lines without ever waiting for whoever reads them. */

import { LOG_BUFFER_BYTES, LOG_WRITE_BYTES } from "./limits.ts";

/** Where lines go. */
export interface LogSink {
  /** Takes a line (without its end). It is dropped, and counted, when the buffer is full. */
  write(line: string): void;
  /** Lines that were dropped so far. */
  readonly dropped: number;
  /** Waits until all lines are written, but not longer than `limitMs`. */
  flush(limitMs: number): Promise<void>;
}

/**
 * A sink in front of a writer. Lines keep their order: one write is on its way at a time, with all that has come
 * meanwhile up to a limit.
 * @param write writes some of the bytes and gives their number; must not block the event loop.
 */
export function createLogSink(write: (bytes: Uint8Array) => Promise<number>): LogSink {
  const encoder = new TextEncoder();
  let waiting: Uint8Array[] = [];
  /** Bytes that wait or are on their way. */
  let held = 0;
  let dropped = 0;
  let writing: Promise<void> | undefined;

  async function writeAll(lines: readonly Uint8Array[]): Promise<void> {
    const bytes = new Uint8Array(lines.reduce((sum, { length }) => sum + length, 0));
    let end = 0;
    for (const line of lines) {
      bytes.set(line, end);
      end += line.length;
    }
    try {
      for (let at = 0; at < bytes.length;) at += await write(bytes.subarray(at));
    } catch {
      // A reader that has gone (a broken pipe) or a full disk must not end the service.
      dropped += lines.length;
    }
    held -= bytes.length;
  }

  async function drain(): Promise<void> {
    while (waiting.length > 0) {
      let size = 0;
      const count = waiting.findIndex(({ length }) => (size += length) > LOG_WRITE_BYTES);
      const lines = count === -1 ? waiting : waiting.slice(0, Math.max(1, count));
      waiting = waiting.slice(lines.length);
      await writeAll(lines);
    }
    writing = undefined;
  }

  return {
    write(line): void {
      const bytes = encoder.encode(`${line}\n`);
      if (held + bytes.length > LOG_BUFFER_BYTES) {
        dropped++;
        return;
      }
      held += bytes.length;
      waiting.push(bytes);
      // Lines of the same turn of the event loop go together.
      writing ??= Promise.resolve().then(drain);
    },
    get dropped(): number {
      return dropped;
    },
    async flush(limitMs): Promise<void> {
      if (writing === undefined) return;
      const late = Promise.withResolvers<void>();
      const timer = setTimeout(late.resolve, limitMs);
      await Promise.race([writing, late.promise]);
      clearTimeout(timer);
    },
  };
}

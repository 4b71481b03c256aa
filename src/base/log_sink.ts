/** A buffered log sink that never waits for its reader. */

/**
 * Maximum number of buffered bytes of log lines: about a thousand requests. More lines are dropped and
 * counted.
 */
export const LOG_BUFFER_BYTES = 1024 * 1024;
/** Maximum number of bytes per write: the capacity of a pipe. */
const LOG_WRITE_BYTES = 64 * 1024;
/**
 * Number of bytes that a pipe accepts in one piece (PIPE_BUF), so that lines of several processes do not mix.
 */
export const SHARED_LOG_WRITE_BYTES = 4 * 1024;

/** The destination of log lines. */
export interface LogSink {
  /** Writes a line (without a line break). If the buffer is full, drops and counts it. */
  write(line: string): void;
  /** Number of dropped lines. */
  readonly dropped: number;
  /** Waits until all lines are written, for at most `limitMs` milliseconds. */
  flush(limitMs: number): Promise<void>;
}

/**
 * Returns a sink that buffers lines for a writer. Lines keep their order: one write runs at a time, with all
 * lines that have arrived in the meantime, up to a limit.
 * @param options.writeBytes Maximum number of bytes per write; a longer line is written alone.
 * @param write Writes some of the bytes and returns their number; must not block the event loop.
 */
export function createLogSink(
  write: (bytes: Uint8Array) => Promise<number>,
  { writeBytes = LOG_WRITE_BYTES }: { writeBytes?: number } = {},
): LogSink {
  const encoder = new TextEncoder();
  let waiting: Uint8Array[] = [];
  /** Number of bytes that are waiting or being written. */
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
      // A broken pipe or a full disk must not stop the service.
      dropped += lines.length;
    }
    held -= bytes.length;
  }

  async function drain(): Promise<void> {
    while (waiting.length > 0) {
      let size = 0;
      const count = waiting.findIndex(({ length }) => (size += length) > writeBytes);
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
      // Lines of the same turn of the event loop are written together.
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

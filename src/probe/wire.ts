/** A connection as a stream of bytes that is read on demand. */

import { ByteQueue } from "./bytes.ts";
import { ProbeError } from "./types.ts";

/** Maximum number of bytes that a server may send before its certificates are complete. */
const MAX_BYTES = 512 * 1024;
/** Maximum number of bytes of a line, or of a text that is searched. */
const MAX_TEXT_BYTES = 16_384;

/** The bytes of a connection. */
export interface Wire {
  /** Returns the next bytes; undefined at the end. */
  read(): Promise<Uint8Array | undefined>;
  write(bytes: Uint8Array): void;
}

/** Reads whole lines and messages. */
export class WireReader {
  readonly #buffer = new ByteQueue();
  #total = 0;

  constructor(readonly wire: Wire) {}

  write(bytes: Uint8Array): void {
    this.wire.write(bytes);
  }

  /** Returns exactly `length` bytes. Throws a {@link ProbeError} at the end of the stream. */
  async take(length: number): Promise<Uint8Array> {
    while (this.#buffer.length < length) await this.#fill();
    return this.#buffer.take(length);
  }

  /** Returns text up to the end of the line, without it. Throws a {@link ProbeError} if it is too long. */
  async line(): Promise<string> {
    for (;;) {
      const end = this.#buffer.bytes.indexOf(0x0a);
      if (end !== -1) return decode(this.#buffer.take(end + 1)).replace(/\r?\n$/, "");
      await this.#fillText();
    }
  }

  /**
   * Returns the text up to the first match, including it. The time to search must be proportional to the
   * length of the text. Throws a {@link ProbeError} if the text is too long.
   */
  async until(pattern: RegExp): Promise<string> {
    for (;;) {
      const text = decode(this.#buffer.bytes);
      const match = pattern.exec(text);
      // A character in UTF-8 can be several bytes. What follows the match is not needed, because servers wait
      // here.
      if (match !== null) {
        this.#buffer.take(this.#buffer.length);
        return text.slice(0, match.index + match[0].length);
      }
      await this.#fillText();
    }
  }

  /** Reads more of a text. It is searched again after each part, so its length has a limit. */
  async #fillText(): Promise<void> {
    if (this.#buffer.length > MAX_TEXT_BYTES) throw new ProbeError("The server's reply is too long.");
    await this.#fill();
  }

  async #fill(): Promise<void> {
    const bytes = await this.wire.read();
    if (bytes === undefined) throw new ProbeError("The server closed the connection during the handshake.");
    this.#total += bytes.length;
    if (this.#total > MAX_BYTES) throw new ProbeError("The server sent too much before its certificates.");
    this.#buffer.push(bytes);
  }
}

function decode(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes);
}

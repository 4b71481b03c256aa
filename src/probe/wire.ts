/** A connection as a stream of bytes that is read on demand. */

import { concat } from "./bytes.ts";
import { ProbeError } from "./types.ts";

/** Maximum number of bytes that a server may send before its certificates are complete. */
const MAX_BYTES = 512 * 1024;

/** The bytes of a connection. */
export interface Wire {
  /** Returns the next bytes; undefined at the end. */
  read(): Promise<Uint8Array | undefined>;
  write(bytes: Uint8Array): void;
}

/** Reads whole lines and messages. */
export class WireReader {
  #buffer: Uint8Array = new Uint8Array();
  #total = 0;

  constructor(readonly wire: Wire) {}

  write(bytes: Uint8Array): void {
    this.wire.write(bytes);
  }

  /** Returns exactly `length` bytes. Throws a {@link ProbeError} at the end of the stream. */
  async take(length: number): Promise<Uint8Array> {
    while (this.#buffer.length < length) await this.#fill();
    return this.#cut(length);
  }

  /** Returns text up to the end of the line, without it. */
  async line(): Promise<string> {
    for (;;) {
      const end = this.#buffer.indexOf(0x0a);
      if (end !== -1) return decode(this.#cut(end + 1)).replace(/\r?\n$/, "");
      await this.#fill();
    }
  }

  /** Returns the text up to the first match, including it. */
  async until(pattern: RegExp): Promise<string> {
    for (;;) {
      const text = decode(this.#buffer);
      const match = pattern.exec(text);
      // A character in UTF-8 can be several bytes. What follows the match is not needed, because servers wait
      // here.
      if (match !== null) {
        this.#buffer = new Uint8Array();
        return text.slice(0, match.index + match[0].length);
      }
      await this.#fill();
    }
  }

  async #fill(): Promise<void> {
    const bytes = await this.wire.read();
    if (bytes === undefined) throw new ProbeError("The server closed the connection during the handshake.");
    this.#total += bytes.length;
    if (this.#total > MAX_BYTES) throw new ProbeError("The server sent too much before its certificates.");
    this.#buffer = this.#buffer.length === 0 ? bytes : concat(this.#buffer, bytes);
  }

  #cut(length: number): Uint8Array {
    const bytes = this.#buffer.subarray(0, length);
    this.#buffer = this.#buffer.subarray(length);
    return bytes;
  }
}

function decode(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes);
}

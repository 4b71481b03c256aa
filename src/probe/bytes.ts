/** Builds and reads binary messages of TLS and database protocols, and reads them from a connection. */

import { ProbeError } from "./types.ts";

/** Maximum number of bytes that a server may send before its certificates are complete. */
const MAX_BYTES = 512 * 1024;
/** Maximum number of bytes of a line, or of a text that is searched. */
const MAX_TEXT_BYTES = 16_384;

export interface Wire {
  /** Returns the next bytes; undefined at the end. */
  read(): Promise<Uint8Array | undefined>;
  write(bytes: Uint8Array): void;
}

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

/** Returns the bytes one after another. */
export function concat(...parts: readonly (Uint8Array | readonly number[])[]): Uint8Array {
  const bytes = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}

/** Returns a big-endian number of `size` bytes. */
export function number(value: number, size: number): number[] {
  return Array.from({ length: size }, (_, index) => Math.floor(value / 256 ** (size - 1 - index)) & 0xff);
}

/** Returns bytes after their length, which has `size` bytes. */
export function vector(content: Uint8Array | readonly number[], size: number): Uint8Array {
  return concat(number(content.length, size), content);
}

export function ascii(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

/** Reads a message from its beginning. Throws a {@link ProbeError} if it ends too early. */
export class ByteReader {
  #at = 0;

  constructor(readonly bytes: Uint8Array) {}

  get left(): number {
    return this.bytes.length - this.#at;
  }

  number(size: number): number {
    return this.take(size).reduce((sum, byte) => sum * 256 + byte, 0);
  }

  take(length: number): Uint8Array {
    if (length > this.left) throw new ProbeError("The server sent a malformed handshake message.");
    this.#at += length;
    return this.bytes.subarray(this.#at - length, this.#at);
  }

  /** Reads bytes after their length, which has `size` bytes. */
  vector(size: number): Uint8Array {
    return this.take(this.number(size));
  }
}

/**
 * Bytes that arrive in parts and are taken from the front. However small the parts are, each byte is copied
 * only a few times.
 */
export class ByteQueue {
  #storage: Uint8Array = new Uint8Array();
  #start = 0;
  #end = 0;

  get length(): number {
    return this.#end - this.#start;
  }

  /** The bytes, without taking them. */
  get bytes(): Uint8Array {
    return this.#storage.subarray(this.#start, this.#end);
  }

  push(part: Uint8Array): void {
    if (this.#end + part.length > this.#storage.length) {
      // Always new storage, because bytes that were taken are views of the former one.
      const larger = new Uint8Array(2 * (this.length + part.length));
      larger.set(this.bytes);
      this.#end = this.length;
      this.#start = 0;
      this.#storage = larger;
    }
    this.#storage.set(part, this.#end);
    this.#end += part.length;
  }

  /** Takes the next bytes: at most `length`. */
  take(length: number): Uint8Array {
    const taken = this.bytes.subarray(0, length);
    this.#start += taken.length;
    return taken;
  }
}

/** Builds and reads binary messages of TLS and database protocols. */

import { ProbeError } from "./types.ts";

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

/** Returns the bytes of ASCII text. */
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

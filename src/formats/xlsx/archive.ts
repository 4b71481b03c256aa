/** Reads members of ZIP archives (APPNOTE.TXT 6.3) piece by piece, so that a caller can stop at any size. */

/** Maximum number of members: a workbook has one for each sheet and picture. */
const MAX_FILES = 2_000;
/** Bytes that are decompressed at once: they become at most a thousand times as many, in a few milliseconds. */
const PIECE_BYTES = 2_048;

/** The archive is damaged, or uses a feature that no workbook needs. */
export class ArchiveError extends Error {}

interface Member {
  readonly name: string;
  readonly isEncrypted: boolean;
  readonly method: number;
  readonly size: number;
  readonly offset: number;
}

export class Archive {
  readonly #bytes: Uint8Array;
  readonly #view: DataView;
  readonly #members = new Map<string, Member>();

  /** Reads the list of members. Errors: {@link ArchiveError}. */
  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    try {
      this.#readDirectory();
    } catch (error) {
      if (error instanceof RangeError) throw new ArchiveError("It is cut off.");
      throw error;
    }
  }

  #readDirectory(): void {
    const view = this.#view;
    let end = view.byteLength - 22;
    const first = Math.max(0, end - 0xffff);
    while (end >= first && view.getUint32(end, true) !== 0x06054b50) end--;
    if (end < first) throw new ArchiveError("It is cut off.");
    const count = view.getUint16(end + 10, true);
    if (count > MAX_FILES) throw new ArchiveError(`It has more than ${MAX_FILES} members.`);
    let at = view.getUint32(end + 16, true);
    for (let index = 0; index < count; index++) {
      if (view.getUint32(at, true) !== 0x02014b50) throw new ArchiveError("Its directory is damaged.");
      const nameLength = view.getUint16(at + 28, true);
      const others = view.getUint16(at + 30, true) + view.getUint16(at + 32, true);
      const name = new TextDecoder().decode(this.#bytes.subarray(at + 46, at + 46 + nameLength));
      this.#members.set(name.toLowerCase(), {
        name,
        isEncrypted: (view.getUint16(at + 8, true) & 1) === 1,
        method: view.getUint16(at + 10, true),
        size: view.getUint32(at + 20, true),
        offset: view.getUint32(at + 42, true),
      });
      at += 46 + nameLength + others;
    }
  }

  has(name: string): boolean {
    return this.#members.has(name.toLowerCase());
  }

  /** Yields the bytes of a member, decompressed. Errors: {@link ArchiveError}. */
  async *read(name: string): AsyncGenerator<Uint8Array> {
    const member = this.#members.get(name.toLowerCase());
    if (member === undefined) throw new ArchiveError(`"${name}" is missing in it.`);
    if (member.isEncrypted) throw new ArchiveError("It is protected by a password.");
    const { offset, size, method } = member;
    if (offset + 30 > this.#bytes.length || (method !== 0 && method !== 8)) {
      throw new ArchiveError("A part of it is damaged.");
    }
    const start = offset + 30 + this.#view.getUint16(offset + 26, true) +
      this.#view.getUint16(offset + 28, true);
    const content = this.#bytes.subarray(start, start + size);
    let at = 0;
    const pieces = new ReadableStream<Uint8Array<ArrayBuffer>>({
      pull: (controller) => {
        if (at < content.length) controller.enqueue(content.slice(at, at += PIECE_BYTES));
        else controller.close();
      },
    });
    try {
      if (method === 0) yield* pieces;
      else yield* pieces.pipeThrough(new DecompressionStream("deflate-raw"));
    } catch (error) {
      // What the stream throws about damaged data.
      if (error instanceof TypeError) throw new ArchiveError("A part of it is damaged.");
      throw error;
    }
  }
}

/** Where the PEM texts of certificates are stored, and their packed form: a byte of flags, and the DER of the text. */

import { deflateRawSync, inflateRawSync } from "node:zlib";
import { MAX_PEM_TEXT_BYTES } from "../../base/limits.ts";
import { compress, decompress } from "../../base/lz4.ts";
import { encodePem } from "../../x509/mod.ts";
import type { SQL } from "drizzle-orm";
import type { Cell } from "../../db/mod.ts";
import { type PackedText, readSideText, type SideTexts, sideTextSql } from "../../resource/mod.ts";
import { dictionaryOf, type PemDictionary } from "./pem_dictionaries.ts";

/**
 * Flags: the DER is compressed, lines end with CR LF, the last line has no end, the DER is compressed against a dictionary.
 * Never change what they mean.
 */
const [DEFLATED, CR_LF, UNENDED, BY_DICTIONARY] = [1, 2, 4, 8];

/**
 * Most certificates become a fifth smaller, in ten microseconds. Higher levels take five times as long for one percent,
 * and a larger window, which is cleared each time, gains nothing on so few bytes.
 */
const DEFLATE = { level: 1, windowBits: 12, memLevel: 4 } as const;

const BEGIN = "-----BEGIN CERTIFICATE-----";
const END = "-----END CERTIFICATE-----";

/** The texts of `pem_content`. */
export const PEM_TEXTS: SideTexts = {
  table: "certificate_texts",
  own: "certificate_id",
  column: "pem_content",
  packed: "pem_packed",
  bytes: "pem_bytes",
  dictionary: "pem_dictionary",
  dictionaries: "pem_dictionaries",
  pack: (text, draft) => packPem(text, dictionaryOf(draft)),
  unpack: unpackPem,
};

/** Returns an expression of the PEM text in a row of `certificate_texts` under an alias; {@link readPemText} decodes it. */
export function pemTextSql(alias: string): SQL {
  return sideTextSql(PEM_TEXTS, alias);
}

/** Returns the text that {@link pemTextSql} has read. */
export function readPemText(cell: Cell): string {
  return readSideText(PEM_TEXTS, cell);
}

/** Returns the packed form of a text that is one certificate in the usual form; undefined for others. */
export function packPem(text: string, dictionary?: PemDictionary): PackedText | undefined {
  if (!text.startsWith(BEGIN)) return undefined;
  const end = text.indexOf(END);
  if (end === -1) return undefined;
  const flags = (text.startsWith("\r", BEGIN.length) ? CR_LF : 0) | (text.endsWith("-") ? UNENDED : 0);
  let der: Uint8Array;
  try {
    der = Uint8Array.fromBase64(text.slice(BEGIN.length, end), { lastChunkHandling: "strict" });
  } catch {
    return undefined;
  }
  if (unpackedPem(der, flags) !== text) return undefined;
  const [flag, compressed] = dictionary === undefined
    ? [DEFLATED, deflateRawSync(der, DEFLATE)] as const
    : [BY_DICTIONARY, compress(der, dictionary.content)] as const;
  if (compressed.length >= der.length) return { bytes: flagged(flags, der) };
  const bytes = flagged(flags | flag, compressed);
  return dictionary === undefined ? { bytes } : { bytes, dictionary };
}

function flagged(flags: number, content: Uint8Array): Uint8Array {
  const packed = new Uint8Array(1 + content.length);
  packed[0] = flags;
  packed.set(content, 1);
  return packed;
}

/** Returns the text of a packed form, and the dictionary if it needs one. */
export function unpackPem(packed: Uint8Array, dictionary?: Uint8Array): string {
  const [flags = 0] = packed;
  return unpackedPem(derOf(packed.subarray(1), flags, dictionary), flags);
}

function derOf(content: Uint8Array, flags: number, dictionary: Uint8Array | undefined): Uint8Array {
  if (flags & DEFLATED) return inflateRawSync(content, { maxOutputLength: MAX_PEM_TEXT_BYTES });
  if (!(flags & BY_DICTIONARY)) return content;
  if (dictionary === undefined) throw new Error("The dictionary of a certificate is missing");
  return decompress(content, { dictionary, max: MAX_PEM_TEXT_BYTES });
}

function unpackedPem(der: Uint8Array, flags: number): string {
  const lines = encodePem(der);
  const text = flags & UNENDED ? lines.slice(0, -1) : lines;
  return flags & CR_LF ? text.replaceAll("\n", "\r\n") : text;
}

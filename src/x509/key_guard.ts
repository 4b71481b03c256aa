/**
 * Checks every text and file before anything else reads it: a private key is never stored, however it is
 * encoded. Base64 and hex are decoded, and the result is searched again, so that a key inside a certificate
 * inside PEM is detected. Certificates, requests, public keys, fingerprints and prose about keys are
 * accepted. Takes linear time, and little on ordinary text.
 */

import { Buffer } from "node:buffer";
import { atOnce } from "../base/pace.ts";
import { holdsKeyBlob, holdsKeyForm, MAX_HEAD, mayHoldKeyForm } from "./key_forms.ts";
import { MAX_MARK, searchingMarks } from "./key_marks.ts";
import { STEP } from "./key_notations.ts";
import { decodings, inflated, MIN_RUN } from "./key_text.ts";
import { decodeText } from "./strings.ts";

/** The message, exactly as the specification has it. */
export const PRIVATE_KEY_MESSAGE = "Private key detected. Private keys are never stored.";

/** Length of the shortest text that can contain a key. */
export const MIN_KEY_CHARS = MIN_RUN;

/**
 * Maximum number of layers of base64 or hex that are decoded: base64 of PEM of a certificate with base64 of
 * base64 of a key has four.
 */
const MAX_LAYERS = 4;
/** Maximum number of gzip members in base64 or hex that are searched in one text. */
const MAX_COMPRESSED = 16;
/** Length of the shortest mark with its required context: `"kty":"` */
const MIN_WORD = 8;
/** Letters of markers in UTF-16 and UTF-32. */
const WIDE = /P\0{1,3}R\0{1,3}I\0|P\0{1,3}u\0{1,3}T\0|o\0{1,3}p\0{1,3}e\0|k\0{1,3}t\0{1,3}y\0/;

/** Returns whether a text or file contains a private key in any known form. Never throws. */
export function holdsPrivateKey(input: string | Uint8Array): boolean {
  return atOnce(searchingKey(input));
}

/** Works like {@link holdsPrivateKey}, but in slices. */
export function* searchingKey(input: string | Uint8Array): Generator<void, boolean> {
  const left = { layers: MAX_LAYERS, compressed: { count: MAX_COMPRESSED } };
  if (typeof input === "string") return yield* pemHoldsKey(input, left);
  const binary = Buffer.from(input.buffer, input.byteOffset, input.byteLength).toString("latin1");
  return (yield* binaryHoldsForm(binary)) || (yield* textHoldsKey(decodeText(input) ?? binary, left));
}

const BEGIN = "-----BEGIN CERTIFICATE-----";
const END = "-----END CERTIFICATE-----";
/** A certificate as programs write it. Its base64 has no other reading, so its bytes are searched: a third of the work. */
const BODY = /^\r?\nMI[A-Za-z0-9+/\r\n]+={0,2}\r?\n$/;

/** Certificates without a private key, the latest 64 last: most come with the same few issuers. */
const harmlessBodies = new Set<string>();

/** Searches the bytes of certificates, and the text around them. */
function* pemHoldsKey(text: string, left: Left): Generator<void, boolean> {
  let rest = "";
  let end = 0;
  for (let at = text.indexOf(BEGIN); at !== -1; at = text.indexOf(BEGIN, at + 1)) {
    yield;
    const start = at + BEGIN.length;
    const next = text.indexOf("-----", start);
    if (next === -1) break;
    // 64 KiB in base64, with line ends.
    if (next - start > 91_000 || !text.startsWith(END, next)) continue;
    const body = text.slice(start, next);
    if (!harmlessBodies.has(body)) {
      const binary = sequenceIn(body);
      if (binary === undefined) continue;
      if (yield* binaryHoldsKey(binary, left)) return true;
      // A copy, because a part would keep the whole text in memory.
      harmlessBodies.add(` ${body}`.slice(1));
      const [oldest = ""] = harmlessBodies;
      if (harmlessBodies.size > 64) harmlessBodies.delete(oldest);
    }
    rest += text.slice(end, at);
    end = next + END.length;
  }
  return yield* textHoldsKey(rest + text.slice(end), left);
}

/** Returns the bytes of a body, one character for each, if they are one DER sequence with a length of two bytes. */
function sequenceIn(body: string): string | undefined {
  const digits = body.replaceAll(/[\r\n]+/g, "");
  if (!BODY.test(body) || digits.length % 4 !== 0) return undefined;
  const binary = atob(digits);
  const length = binary.charCodeAt(2) * 256 + binary.charCodeAt(3);
  return binary.startsWith("\x30\x82") && binary.length === length + 4 ? binary : undefined;
}

/** How deep a text or its bytes are searched: layers of encodings and compressed texts that may still be decoded. */
type Left = { readonly layers: number; readonly compressed: { count: number } };

function* textHoldsKey(text: string, left: Left): Generator<void, boolean> {
  if (text.length < MIN_KEY_CHARS) return false;
  if (yield* textHoldsMarks(text)) return true;
  if (left.layers === 0) return false;
  for (const binary of decodings(text)) {
    // Also after a short one: a text has many, and each may contain others.
    yield;
    if (binary !== undefined && (yield* binaryHoldsKey(binary, left))) return true;
  }
  return false;
}

/** Searches decoded bytes, and the text in them. */
function* binaryHoldsKey(binary: string, left: Left): Generator<void, boolean> {
  const isCompressed = binary.startsWith("\x1f\x8b\x08") && left.compressed.count-- > 0;
  const plain = isCompressed ? inflated(binary) : binary;
  if (yield* binaryHoldsForm(plain)) return true;
  return holdsText(plain) && (yield* textHoldsKey(plain, { ...left, layers: left.layers - 1 }));
}

/**
 * Searches at every octet, because a key may follow a certificate or be inside one.
 * @param binary One character for each octet.
 */
function* binaryHoldsForm(binary: string): Generator<void, boolean> {
  let bytes: Uint8Array | undefined;
  for (let start = 0; start < binary.length; start += STEP) {
    if (start > 0) yield;
    const part = binary.slice(start, start + STEP + MAX_HEAD);
    if (holdsKeyBlob(part)) return true;
    if (!mayHoldKeyForm(part)) continue;
    bytes ??= Buffer.from(binary, "latin1");
    if (holdsKeyForm(bytes, { start, end: Math.min(start + STEP, bytes.length) })) return true;
  }
  return false;
}

/** Searches a long text in parts that overlap by the length of a mark, or of most of a JSON Web Key. */
function* textHoldsMarks(text: string): Generator<void, boolean> {
  for (let start = 0; start < text.length; start += STEP) {
    if (start > 0) yield;
    const part = text.slice(Math.max(0, start - 4 * MAX_MARK), start + STEP + 4 * MAX_MARK);
    if (yield* searchingMarks(part)) return true;
    if (part.includes("\0") && WIDE.test(part) && (yield* searchingMarks(part.replaceAll("\0", "")))) {
      return true;
    }
  }
  return false;
}

/** Returns whether there are enough consecutive characters for a mark; random bytes have fewer. */
function holdsText(binary: string): boolean {
  for (let probe = MIN_WORD - 1; probe < binary.length; probe += MIN_WORD) {
    if (!isCharacter(binary.charCodeAt(probe))) continue;
    let start = probe;
    while (start > 0 && probe - start < MIN_WORD && isCharacter(binary.charCodeAt(start - 1))) start--;
    let found = 0;
    for (; start < binary.length && isCharacter(binary.charCodeAt(start)); start++) {
      if (binary.charCodeAt(start) !== 0) found++;
    }
    if (found >= MIN_WORD) return true;
    probe = Math.max(probe, start);
  }
  return false;
}

/** Returns whether a byte is ASCII, white space, or a null character of UTF-16. */
function isCharacter(byte: number): boolean {
  return (byte >= 0x20 && byte < 0x7f) || byte === 0 || (byte >= 9 && byte <= 13);
}

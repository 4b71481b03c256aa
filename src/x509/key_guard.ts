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
const CERTIFICATE = "-----BEGIN CERTIFICATE-----";
/** Characters by which the parts of a PEM text overlap. */
const OVERLAP = 128;
/** Maximum number of remembered chains, each of at most {@link STEP} characters. */
const MAX_CHAINS = 32;
/** Letters of markers in UTF-16 and UTF-32. */
const WIDE = /P\0{1,3}R\0{1,3}I\0|P\0{1,3}u\0{1,3}T\0|o\0{1,3}p\0{1,3}e\0|k\0{1,3}t\0{1,3}y\0/;

/** Returns whether a text or file contains a private key in any known form. Never throws. */
export function holdsPrivateKey(input: string | Uint8Array): boolean {
  return atOnce(searchingKey(input));
}

/** Works like {@link holdsPrivateKey}, but in slices. */
export function* searchingKey(input: string | Uint8Array): Generator<void, boolean> {
  if (typeof input === "string") return yield* pemHoldsKey(input);
  const binary = Buffer.from(input.buffer, input.byteOffset, input.byteLength).toString("latin1");
  return (yield* binaryHoldsForm(binary)) || (yield* textHoldsKey(decodeText(input) ?? binary));
}

/**
 * Chains without a private key, the latest last. Remembered, because most certificates come with the same few
 * chains, whose search takes longer than that of the certificate.
 */
const harmlessChains = new Set<string>();

/** Searches a PEM text's first certificate, and what follows it if that is not a remembered chain. */
function* pemHoldsKey(text: string): Generator<void, boolean> {
  const chain = text.length > STEP ? text.length : chainStart(text);
  // No mark of a key contains the BEGIN line of a certificate.
  if (yield* textHoldsKey(text.slice(0, chain + OVERLAP))) return true;
  if (chain === text.length) return false;
  const issuers = text.slice(chain);
  if (harmlessChains.has(issuers)) return false;
  if (yield* textHoldsKey(issuers)) return true;
  const [oldest] = harmlessChains;
  if (harmlessChains.size === MAX_CHAINS && oldest !== undefined) harmlessChains.delete(oldest);
  harmlessChains.add(issuers);
  return false;
}

/** Returns where the second certificate of a PEM text begins, or where the text ends. */
function chainStart(text: string): number {
  const first = text.indexOf(CERTIFICATE);
  const second = first === -1 ? -1 : text.indexOf(CERTIFICATE, first + CERTIFICATE.length);
  return second === -1 ? text.length : second;
}

/** @param left Layers of base64 or hex, and compressed texts, that may still be decoded. */
function* textHoldsKey(
  text: string,
  left = { layers: MAX_LAYERS, compressed: { count: MAX_COMPRESSED } },
): Generator<void, boolean> {
  if (text.length < MIN_KEY_CHARS) return false;
  if (yield* textHoldsMarks(text)) return true;
  if (left.layers === 0) return false;
  for (const binary of decodings(text)) {
    // Also after a short one: a text has many, and each may contain others.
    yield;
    if (binary === undefined) continue;
    const isCompressed = binary.startsWith("\x1f\x8b\x08") && left.compressed.count-- > 0;
    const plain = isCompressed ? inflated(binary) : binary;
    if (yield* binaryHoldsForm(plain)) return true;
    if (holdsText(plain) && (yield* textHoldsKey(plain, { ...left, layers: left.layers - 1 }))) return true;
  }
  return false;
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

/**
 * Checks every text and file before anything else reads it: a private key is never stored, however it is
 * encoded. Base64 and hex are decoded, and the result is searched again, so that a key inside a certificate
 * inside PEM is detected. Certificates, requests, public keys, fingerprints and prose about keys are
 * accepted. Takes linear time, and little on ordinary text.
 */

import { Buffer } from "node:buffer";
import { atOnce } from "../base/pace.ts";
import { holdsKeyForm, MAX_HEAD, mayHoldKeyForm } from "./key_forms.ts";
import { decodings, MIN_RUN, STEP } from "./key_text.ts";
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
/** Length of the shortest mark with its required context: `"kty":"` */
const MIN_WORD = 8;
/**
 * Characters before and after the word PRIVATE that are searched for the rest of a PEM marker, however
 * mangled.
 */
const MARKER_WINDOW = { before: 64, after: 40 };
/** Length of the longest mark. */
const MAX_MARK = 128;
/** The member `d` of a JSON Web Key (RFC 7517), also if its quotes are escaped or missing. */
const PRIVATE_MEMBER = /(?<![A-Za-z0-9_-])d[\\"'\s]{0,6}[:=][\\"'\s]{0,6}[A-Za-z0-9_-]{16}/;
const CERTIFICATE = "-----BEGIN CERTIFICATE-----";
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
  return (yield* binaryHoldsForm(binary)) || (yield* textHoldsKey(decodeText(input) ?? binary, 0));
}

/**
 * Chains without a private key, the latest last. Remembered, because most certificates come with the same few
 * chains, whose search takes longer than that of the certificate.
 */
const harmlessChains = new Set<string>();

/** Searches a PEM text's first certificate, and what follows it if that is not a remembered chain. */
function* pemHoldsKey(text: string): Generator<void, boolean> {
  const chain = text.length > STEP ? text.length : chainStart(text);
  // The parts overlap by more than what identifies a key.
  if (yield* textHoldsKey(text.slice(0, chain + MAX_MARK), 0)) return true;
  if (chain === text.length) return false;
  const issuers = text.slice(chain);
  if (harmlessChains.has(issuers)) return false;
  if (yield* textHoldsKey(issuers, 0)) return true;
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

function* textHoldsKey(text: string, layers: number): Generator<void, boolean> {
  if (text.length < MIN_KEY_CHARS) return false;
  if (yield* textHoldsMarks(text)) return true;
  if (text.includes("\0") && WIDE.test(text) && (yield* textHoldsMarks(text.replaceAll("\0", "")))) {
    return true;
  }
  if (layers === MAX_LAYERS) return false;
  for (const binary of decodings(text)) {
    if (binary === undefined) yield;
    else if (yield* binaryHoldsForm(binary)) return true;
    else if (holdsText(binary) && (yield* textHoldsKey(binary, layers + 1))) return true;
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
    if (!mayHoldKeyForm(binary.slice(start, start + STEP + MAX_HEAD))) continue;
    bytes ??= Buffer.from(binary, "latin1");
    if (holdsKeyForm(bytes, { start, end: Math.min(start + STEP, bytes.length) })) return true;
  }
  return false;
}

/** Searches a long text in parts that overlap by the length of a mark. */
function* textHoldsMarks(text: string): Generator<void, boolean> {
  const mayHoldJwk = text.includes("kty");
  for (let start = 0; start < text.length; start += STEP) {
    if (start > 0) yield;
    const part = text.slice(Math.max(0, start - MAX_MARK), start + STEP + MAX_MARK);
    if (holdsMarks(part) || (mayHoldJwk && PRIVATE_MEMBER.test(part))) return true;
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

/** Returns whether the text has a mark that identifies a text format of private keys. */
function holdsMarks(text: string): boolean {
  return holdsMarker(text) || text.includes("PuTTY-User-Key-File-") || text.includes("openssh-key-v1\0");
}

/**
 * Returns whether the text has `-----BEGIN … PRIVATE KEY-----` or its END, with anything but letters in
 * between, or PGP's `… BLOCK`.
 */
function holdsMarker(text: string): boolean {
  for (let at = text.indexOf("PRIVATE"); at !== -1; at = text.indexOf("PRIVATE", at + 7)) {
    const around = text.slice(Math.max(0, at - MARKER_WINDOW.before), at + MARKER_WINDOW.after);
    if (!around.includes("KEY") || !(around.includes("BEGIN") || around.includes("END"))) continue;
    // Escapes (`\n`, `%20`) leave at most a few digits behind. Word processors turn hyphens into dashes.
    const bare = around.replace(/[\u2010-\u2015\u2212]/g, "--").replace(/[^A-Z0-9-]/g, "");
    if (/--(?:BEGIN|END)[A-Z0-9]*PRIVATE[0-9A-D]{0,8}KEY[0-9A-D]{0,8}(?:BLOCK)?(?:-|$)/.test(bare)) {
      return true;
    }
  }
  return false;
}

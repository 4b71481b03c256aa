/** Packs the JSON texts of snapshots: hexadecimal digits become bytes, and repetitions are compressed. */

import { compress, decompress } from "../base/lz4.ts";

/** The first byte of a packed text. */
const FORMAT = 1;

/**
 * Runs of bytes as `0a0b…` or `0A:0B:…`, and the bytes that announce them, which JSON does not contain. The number of
 * bytes follows in one byte.
 */
const RUNS = /(?:[0-9a-f]{2}){8,255}|(?:[0-9A-F]{2}:){7,254}[0-9A-F]{2}/g;
const [DIGITS, PAIRS] = [1, 2];

/** What snapshots often contain. Stored texts need this very dictionary: another one is another {@link FORMAT}. */
const DICTIONARY = new TextEncoder().encode(
  `"C=US, O=Let's Encrypt, CN=","C=US, O=DigiCert Inc, CN=DigiCert Global G2 TLS RSA SHA256 2020 CA1",` +
    `"C=GB, O=Sectigo Limited, CN=","C=US, O=Google Trust Services, CN=","O=, OU=, L=, ST=, CN=Issuing CA ",` +
    `"certmgr.certificate","certmgr.endpoint","dcim.device","virtualization.virtualmachine","ipam.service",` +
    `"unreachable","reachable","replaced","revoked","pending","expired","valid","self_signed","no_chain",` +
    `"https://www.","http://","warning","info","ed25519",{"type":"","id":1},[null,[],{}],true,true,null,null,` +
    `null,null,null,null,0,0,0,"","","","","","","",[],[],[],.example.com",".internal",".local",443,"TCP",1,` +
    `true,false,"2025-12-31T23:59:59Z","ecdsa",256,"active",["","rsa",4096,"active",["","rsa",2048,"active",[` +
    `"www.","*.","mail.","api."],"sha256:","sha256:",true,[],"","","","",false,false,null,null,false,"",false,` +
    `null,"",null,[],{},null,null,null,"","2026-01-01T00:00:00Z","2026-01-01T00:00:00Z"]`,
);

/** Returns the packed text; undefined if it is not smaller. */
export function packText(text: string): Uint8Array | undefined {
  const block = compress(toBytes(text), DICTIONARY);
  if (block.length + 1 >= text.length) return undefined;
  const packed = new Uint8Array(block.length + 1);
  packed[0] = FORMAT;
  packed.set(block, 1);
  return packed;
}

/** Returns the text of its packed form. Throws if that is damaged, or if the text has more than `max` characters. */
export function unpackText(packed: Uint8Array, max: number): string {
  if (packed[0] !== FORMAT) throw new Error(`Cannot unpack a text in the format ${packed[0]}`);
  return toText(decompress(packed.subarray(1), { dictionary: DICTIONARY, max: max * MAX_BYTES }));
}

/** Bytes of a character. */
const MAX_BYTES = 3;
const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

// Loops: for texts of this size, to call an encoder for each part takes longer.
function toBytes(text: string): Uint8Array {
  const bytes = new Uint8Array(text.length * MAX_BYTES);
  let [end, from] = [0, 0];
  for (const { 0: run, index } of text.matchAll(RUNS)) {
    const start = writeText(bytes, end, text.slice(from, index)) + 2;
    const step = run[2] === ":" ? 3 : 2;
    end = start;
    for (let at = 0; at < run.length; at += step) {
      bytes[end++] = digitOf(run.charCodeAt(at)) << 4 | digitOf(run.charCodeAt(at + 1));
    }
    bytes[start - 2] = step === 2 ? DIGITS : PAIRS;
    bytes[start - 1] = end - start;
    from = index + run.length;
  }
  return bytes.subarray(0, writeText(bytes, end, text.slice(from)));
}

function digitOf(code: number): number {
  return code <= 57 ? code - 48 : (code | 32) - 87;
}

function writeText(bytes: Uint8Array, start: number, text: string): number {
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code > 127) return start + encoder.encodeInto(text, bytes.subarray(start)).written;
    bytes[start + at] = code;
  }
  return start + text.length;
}

function toText(bytes: Uint8Array): string {
  let [text, from, at] = ["", 0, 0];
  while (at < bytes.length) {
    const mark = bytes[at];
    if (mark !== DIGITS && mark !== PAIRS) {
      at++;
      continue;
    }
    const end = at + 2 + (bytes[at + 1] ?? 0);
    const digits = bytes.subarray(at + 2, end).toHex();
    text += decoder.decode(bytes.subarray(from, at));
    text += mark === DIGITS ? digits : digits.toUpperCase().replace(/..(?=.)/g, "$&:");
    [from, at] = [end, end];
  }
  return text + decoder.decode(bytes.subarray(from));
}

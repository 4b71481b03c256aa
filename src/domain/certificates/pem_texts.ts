/**
 * Stores the texts of certificates. Each chain is stored once. The packed form of a PEM text is a byte of
 * flags and the DER, compressed with a dictionary of what certificates of its issuer have in common.
 */

import { type SQL, sql } from "drizzle-orm";
import { deflateRawSync, inflateRawSync } from "node:zlib";
import { sha256Hex } from "../../base/bytes.ts";
import { MAX_PEM_TEXT_BYTES } from "../../base/limits.ts";
import { compressLz4, decompressLz4 } from "../../base/lz4.ts";
import { type Cell, perDatabase, type Transaction } from "../../db/mod.ts";
import { pem_dictionaries } from "../../db/schema/mod.ts";
import {
  type Draft,
  type PackedText,
  readSideText,
  type SharedTexts,
  sharedTextSql,
  type SideTexts,
  sideTextSql,
  type WriteStep,
} from "../../resource/mod.ts";
import { type Certificate, encodePem } from "../../x509/mod.ts";

/** Each chain is stored once. Older ones are in `certificate_texts` until a job has moved them. */
export const ISSUER_CHAINS: SharedTexts = {
  texts: "issuer_chains",
  uses: "certificate_issuer_chains",
  own: "certificate_id",
  text: "chain_id",
  earlier: "certificate_texts",
};

/** Returns an expression for the chain of a certificate; empty if it has none. */
export function issuerChainSql(certificateId: SQL): SQL {
  return sql`coalesce(${sharedTextSql("issuer_chain", { ...ISSUER_CHAINS, id: certificateId })}, '')`;
}

/** Returns the condition that a certificate has a chain. It does not read the text. */
export function hasIssuerChain(certificateId: SQL): SQL {
  return sql`(EXISTS (SELECT 1 FROM certificate_issuer_chains WHERE certificate_id = ${certificateId})
    OR EXISTS (SELECT 1 FROM certificate_texts WHERE certificate_id = ${certificateId}
      AND octet_length(issuer_chain) > 0))`;
}

/**
 * Flags: the DER is compressed, lines end with CR LF, the last line has no line end, the DER is compressed
 * with a dictionary. They are stored, so their meaning must never change.
 */
const [DEFLATED, CR_LF, UNENDED, BY_DICTIONARY] = [1, 2, 4, 8];

/**
 * Makes most certificates a fifth smaller in ten microseconds. Higher levels take five times as long for one
 * percent. A larger window gains nothing for so few bytes, and must be cleared each time.
 */
const DEFLATE = { level: 1, windowBits: 12, memLevel: 4 } as const;

const BEGIN = "-----BEGIN CERTIFICATE-----";
const END = "-----END CERTIFICATE-----";

/** How the texts of `pem_content` are stored. */
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

/**
 * Returns an expression for the PEM text in a row of `certificate_texts`. {@link readPemText} decodes its
 * value.
 */
export function pemTextSql(alias: string): SQL {
  return sideTextSql(PEM_TEXTS, alias);
}

/** Decodes the value of {@link pemTextSql}. */
export function readPemText(cell: Cell): string {
  return readSideText(PEM_TEXTS, cell);
}

/**
 * Returns the packed form of a text that is exactly one certificate in the usual form; undefined for other
 * texts.
 */
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
    : [BY_DICTIONARY, compressLz4(der, dictionary.content)] as const;
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
  return decompressLz4(content, { dictionary, max: MAX_PEM_TEXT_BYTES });
}

function unpackedPem(der: Uint8Array, flags: number): string {
  const lines = encodePem(der);
  const text = flags & UNENDED ? lines.slice(0, -1) : lines;
  return flags & CR_LF ? text.replaceAll("\n", "\r\n") : text;
}

/** A dictionary that is stored in the database. */
interface PemDictionary {
  readonly id: number;
  readonly content: Uint8Array;
  /** The content in hex, as SQLite's hex() returns it. */
  readonly hex: string;
}

/**
 * Maximum number of dictionaries of a database: about 600 bytes each, which processes keep in memory. Issuers
 * that come later have none.
 */
const MAX_DICTIONARIES = 1_000;
/** Maximum size of a dictionary in bytes: more than certificates usually have in common. */
const MAX_DICTIONARY_BYTES = 2_000;
/** Hex digits of an issuer's hash: 48 bits, which JSON and SQLite keep exactly. */
const ISSUER_DIGITS = 12;

/** Committed dictionaries by the name of the issuer. */
const dictionariesOf = perDatabase(() => new Map<string, PemDictionary>());

/**
 * Dictionaries by the input of drafts, which copies of a draft share. Drafts belong to `resource/`, which
 * does not know certificates, so they have no field for it.
 */
const chosen = new WeakMap<Draft["input"], PemDictionary>();

/** Returns the dictionary for the PEM of a draft, if its issuer has one. */
function dictionaryOf(draft: Draft): PemDictionary | undefined {
  return chosen.get(draft.input);
}

/** A certificate that a draft writes. */
interface Written {
  readonly draft: Draft;
  readonly certificate: Certificate;
}

/**
 * Finds the dictionaries for the certificates of drafts, and makes one for an issuer that already has another
 * certificate. One statement if the dictionary of an issuer is not cached, otherwise none.
 */
export async function chooseDictionaries(
  { ctx, tx }: Pick<WriteStep, "ctx" | "tx">,
  written: readonly Written[],
): Promise<void> {
  const committed = dictionariesOf(ctx.database);
  const byIssuer = new Map<string, Written[]>();
  for (const one of written) {
    const issuer = one.certificate.issuer.text;
    const known = committed.get(issuer);
    if (known !== undefined) chosen.set(one.draft.input, known);
    else byIssuer.set(issuer, [...byIssuer.get(issuer) ?? [], one]);
  }
  if (byIssuer.size === 0) return;
  const found = await storedOrNew(tx, byIssuer);
  for (const [issuer, dictionary] of found) {
    for (const { draft } of byIssuer.get(issuer) ?? []) chosen.set(draft.input, dictionary);
  }
  // Only after the commit, because a rolled back transaction stores nothing.
  tx.afterCommit(() => {
    for (const [issuer, dictionary] of found) committed.set(issuer, dictionary);
  });
}

/** Returns the dictionaries of issuers, and makes the missing ones. Together they may exceed the maximum. */
async function storedOrNew(
  tx: Transaction,
  byIssuer: ReadonlyMap<string, readonly Written[]>,
): Promise<Map<string, PemDictionary>> {
  const names = new Map([...byIssuer.keys()].map((issuer) => [hashOf(issuer), issuer]));
  const candidates = [...byIssuer].map(([issuer, [first, second]]) => [
    hashOf(issuer),
    first?.draft.input.issuer ?? "",
    Number(second !== undefined),
    first === undefined ? "" : commonPart(first.certificate).toHex(),
  ]);
  const rows = await tx.all<{ issuer: number; id: number; content: string }>(
    sql`INSERT INTO ${pem_dictionaries} (issuer, content)
      SELECT value ->> 0, unhex(value ->> 3) FROM json_each(${JSON.stringify(candidates)})
      WHERE EXISTS (SELECT 1 FROM ${pem_dictionaries} WHERE issuer = value ->> 0)
        OR (value ->> 2 = 1 OR EXISTS (SELECT 1 FROM certificates WHERE issuer = value ->> 1))
          AND (SELECT count(*) FROM ${pem_dictionaries}) < ${MAX_DICTIONARIES}
      ON CONFLICT (issuer) DO UPDATE SET issuer = excluded.issuer RETURNING issuer, id, hex(content) AS content`,
  );
  const found = new Map<string, PemDictionary>();
  for (const { issuer, id, content } of rows) {
    found.set(names.get(issuer) as string, { id, content: Uint8Array.fromHex(content), hex: content });
  }
  return found;
}

function hashOf(issuer: string): number {
  return parseInt(sha256Hex(issuer).slice(0, ISSUER_DIGITS), 16);
}

/** Extensions that differ from certificate to certificate. */
const OWN_EXTENSIONS: readonly string[] = ["subjectAltName", "subjectKeyIdentifier"];

/**
 * Returns a certificate without the parts that other certificates do not repeat: its key, its signature, and
 * its names, which must not outlive the certificate.
 */
function commonPart({ der, subject, publicKey, extensions, signature }: Certificate): Uint8Array {
  const own = [
    subject.der,
    publicKey.bits,
    signature,
    ...extensions.filter(({ name }) => OWN_EXTENSIONS.includes(name)).map(({ value }) => value),
  ];
  const kept: Uint8Array[] = [];
  let from = 0;
  for (const [start, end] of own.map((part) => placeIn(der, part)).sort(([a], [b]) => a - b)) {
    if (start > from) kept.push(der.subarray(from, start));
    from = Math.max(from, end);
  }
  kept.push(der.subarray(from));
  return Uint8Array.from(kept.flatMap((part) => [...part.subarray(0, MAX_DICTIONARY_BYTES)]))
    .slice(0, MAX_DICTIONARY_BYTES);
}

/** Returns the offsets at which a part of the DER begins and ends. */
function placeIn(der: Uint8Array, part: Uint8Array): [start: number, end: number] {
  const start = part.byteOffset - der.byteOffset;
  return part.buffer === der.buffer && start >= 0 ? [start, start + part.length] : [0, 0];
}

/**
 * Reads certificates as PEM with additional fields, the form in which imports receive them, and finds the
 * chain of each certificate in its text. Reads bundles as exports write them as tables. Works in slices.
 */

import { z } from "zod";
import { invalid } from "../../../base/errors.ts";
import { addFinding, concerns, type Finding, finding } from "../../../base/findings.ts";
import { MAX_BUNDLE_CHAIN, MAX_MEMBERS } from "../../../base/limits.ts";
import { memoize } from "../../../base/memoize.ts";
import { inSlices } from "../../../base/pace.ts";
import { fieldErrors, objectBody, type ParsedElement } from "../../../operation/mod.ts";
import { isDictionary } from "../../../filters/mod.ts";
import { inputSchema, quote } from "../../../resource/mod.ts";
import { type Certificate, encodePem, searchingKey } from "../../../x509/mod.ts";
import { certificates } from "../mod.ts";
import { bySubject, issuersOf, readBundle, type Reading } from "./bundle.ts";
import { DUPLICATE_FIELDS } from "./responses.ts";
import { keyFindings } from "./data_row.ts";
import type { ImportRow } from "./rows.ts";
import type { DataDocument } from "./data_document.ts";
import type { DataTable } from "./responses.ts";
import { PEM_HEADING } from "./columns.ts";

/** Fields of a certificate that its PEM does not contain. */
const OWN = {
  private_key_location: inputSchema(certificates, "private_key_location").optional(),
  tenant: inputSchema(certificates, "tenant").optional(),
  tags: inputSchema(certificates, "tags").optional(),
};
const SHAPE = { pem_content: inputSchema(certificates, "pem_content") as z.ZodType<string>, ...OWN };

/** A certificate with its chain, and additional fields. */
export const PemItem = objectBody(SHAPE);
export type PemItem = z.infer<typeof PemItem>;
/** A certificate with its chain, or several certificates, and additional fields. */
export const PemText = objectBody({
  ...SHAPE,
  split: z.boolean().default(false).describe("Whether to import each block as a separate certificate."),
  ...DUPLICATE_FIELDS,
});

/** Maximum number of certificates that a message names. */
const MAX_NAMED = 5;

/** Reads an element of a list, with all its errors. */
export function* readPemElement(
  element: ParsedElement<PemItem>,
  place: number,
): Generator<void, ImportRow> {
  const item = "value" in element ? element.value : element.given;
  const keys = yield* keyFindings(isDictionary(item) ? item : { pem_content: item });
  if (keys.length > 0) return { place, body: {}, errors: keys };
  if ("value" in element) return yield* readPemItem(element.value, place);
  const { given, findings } = element;
  const isNoObject = findings.some(({ path }) => path.length === 0);
  if (isNoObject) {
    const expected = `an object with pem_content, not ${quote(given)}`;
    return { place, body: {}, errors: [{ ...finding("unexpected", { expected }), field: "pem_content" }] };
  }
  const errors = fieldErrors(findings);
  const valid = Object.entries(isDictionary(item) ? item : {}).filter(([name]) => !concerns(errors, name));
  const row = yield* readPemItem(Object.fromEntries(valid) as PemItem, place);
  return { ...row, errors: [...row.errors.filter(({ field = "" }) => !concerns(errors, field)), ...errors] };
}

/** Reads an item: the first certificate of its text, and all others as its chain. */
export function* readPemItem(given: PemItem, place: number): Generator<void, ImportRow> {
  const { own, found, errors: unreadable } = yield* readParts(given);
  yield;
  const errors = [...unreadable];
  const member = leafWithChain(found, errors, SEPARATELY);
  return member === undefined ? { place, body: own, errors } : rowOf(member, { own, place });
}

/**
 * Reads every certificate of the text as a separate item. If there are errors, returns one item with all of
 * them.
 */
export function* readPemItems(given: PemItem): Generator<void, ImportRow[]> {
  const { own, ...reading } = yield* readParts(given);
  return yield* separateRows(reading, own);
}

/** Returns an item for every certificate, with its chain from the same text; or one with the errors. */
export function* separateRows(
  { found, errors }: Reading,
  own: ImportRow["body"],
): Generator<void, ImportRow[]> {
  if (found.length === 0) return [{ place: 0, body: own, errors }];
  const pool = bySubject(found);
  const rows: ImportRow[] = [];
  for (const [place, certificate] of found.entries()) {
    yield;
    const issuers = issuersOf(certificate, pool, MAX_BUNDLE_CHAIN);
    rows.push(rowOf(memberOf(certificate, issuers), { own, place }));
  }
  return rows;
}

/**
 * Reads the first certificate of the text with its chain. Certificates that do not belong to the chain are separate
 * items.
 */
export function* readPemText(given: PemItem): Generator<void, ImportRow[]> {
  const { own, found, errors } = yield* readParts(given);
  const [leaf] = found;
  if (leaf === undefined) return [{ place: 0, body: own, errors }];
  yield;
  const pool = bySubject(found);
  const chain = issuersOf(leaf, pool, MAX_MEMBERS);
  const known = new Set([leaf, ...chain].map(({ fingerprintSha256 }) => fingerprintSha256));
  const others = found.filter(({ fingerprintSha256 }) => !known.has(fingerprintSha256));
  const members = others.map((other) => memberOf(other, issuersOf(other, pool, MAX_BUNDLE_CHAIN)));
  return [memberOf(leaf, chain), ...members].map((member, place) => rowOf(member, { own, place }));
}

/**
 * Returns the fields of a certificate followed by its chain, as PEM; undefined if the text has errors that a write of
 * `pem_content` finds as well. Errors: invalid (`pem_content`: certificates that are not in the chain).
 */
export async function separateChain(text: string): Promise<Member["fields"] | undefined> {
  const { found } = await inSlices(readBundle(text));
  if (found.length === 0) return undefined;
  const errors: Finding[] = [];
  const member = leafWithChain(found, errors, "Paste one certificate, and its chain after it.");
  if (member === undefined) throw invalid(errors);
  return member.fields;
}

function rowOf(
  { certificate, fields }: Member,
  { own, place }: { own: ImportRow["body"]; place: number },
): ImportRow {
  return { place, body: { ...own, ...fields }, errors: [], certificate };
}

function* readParts(
  { pem_content: text, ...given }: PemItem,
): Generator<void, Reading & { own: ImportRow["body"] }> {
  const own = Object.fromEntries(
    Object.entries(given).filter(([name, value]) => Object.hasOwn(OWN, name) && value !== undefined),
  );
  // An invalid item may have no text.
  return text === undefined ? { own, found: [], errors: [] } : { own, ...(yield* readBundle(text)) };
}

/** What a caller of the API can do about unrelated certificates. */
const SEPARATELY =
  'Put the certificate first and its chain after it, or import each certificate separately ("split": true).';

/** Returns the first certificate with all others as its chain; adds an error with `advice` for unrelated certificates. */
function leafWithChain(
  found: readonly Certificate[],
  errors: Finding[],
  advice: string,
): Member | undefined {
  const [leaf, ...others] = found;
  if (leaf === undefined) return undefined;
  const issuers = issuersOf(leaf, bySubject(others), MAX_MEMBERS);
  const known = new Set([leaf, ...issuers].map(({ fingerprintSha256 }) => fingerprintSha256));
  const unrelated = found.flatMap(({ fingerprintSha256, subject }, index) =>
    known.has(fingerprintSha256) ? [] : [`${index + 1} (${quote(subject.text)})`]
  );
  if (unrelated.length === 0) return memberOf(leaf, issuers);
  const named = unrelated.slice(0, MAX_NAMED).join(", ");
  addFinding(errors, "pem_content", finding("not_in_chain", { named, advice }));
  return undefined;
}

/** A certificate as two fields of a create request: its PEM, and the PEM of its issuers in the same text. */
interface Member {
  readonly certificate: Certificate;
  readonly fields: { readonly pem_content: string; readonly issuer_chain: string };
}

/** Returns the PEM of a certificate. Cached, because CA certificates are repeated in many chains. */
const pemOf = memoize(({ der }: Certificate) => encodePem(der));

function memberOf(certificate: Certificate, issuers: readonly Certificate[]): Member {
  return {
    certificate,
    fields: {
      pem_content: pemOf(certificate),
      issuer_chain: issuers.map(pemOf).join(""),
    },
  };
}

const BLOCK = /^-----BEGIN /m;

/**
 * Parses a bundle in slices: a row for each certificate with a comment (and its chain), or without comments
 * for each block.
 */
export function* readPemDocument(
  source: DataTable["source"],
  { field, maxRows }: { field: string; maxRows: number },
): Generator<void, DataDocument> {
  const refused = (one: Finding): DataDocument => ({
    rows: [],
    errors: [{ ...one, row: 0, field }],
    total: 0,
    form: "pem",
    named: [],
  });
  if (typeof source !== "string") return refused(finding("unexpected", { expected: "PEM as text" }));
  if (yield* searchingKey(source)) return refused(finding("private_key"));
  const rows = PEM_HEADING.test(source)
    ? yield* headedRows(source, maxRows)
    : yield* blockRows(source, maxRows);
  if (rows === undefined) {
    return refused(finding("batch_too_large", { max: maxRows, things: "certificates" }));
  }
  return { rows, errors: [], total: rows.length, form: "pem", named: [] };
}

function* headedRows(text: string, maxRows: number): Generator<void, ImportRow[] | undefined> {
  const sections = text.split(new RegExp(`(?=${PEM_HEADING.source})`, "m")).filter((one) =>
    PEM_HEADING.test(one)
  );
  if (sections.length > maxRows) return undefined;
  const rows: ImportRow[] = [];
  for (const section of sections) {
    yield;
    const place = rows.length + 1;
    const heading = section.split("\n", 1)[0]?.replace(PEM_HEADING, "").trim();
    const row = BLOCK.test(section)
      ? yield* readPemItem({ pem_content: section }, place)
      : { place, body: {}, errors: [], without: finding("no_pem_in_document") };
    rows.push({ ...row, ...(heading ? { cells: { common_name: heading } } : {}) });
  }
  return rows;
}

function* blockRows(text: string, maxRows: number): Generator<void, ImportRow[] | undefined> {
  const reading = yield* readBundle(text);
  if (reading.found.length > maxRows) return undefined;
  const rows = yield* separateRows(reading, {});
  return rows.map((row, index) => ({ ...row, place: index + 1 }));
}

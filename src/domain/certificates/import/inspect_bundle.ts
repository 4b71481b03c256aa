/** Describes the certificates of a text or file, and what an import would do with each. */

import type { Context } from "../../../auth/mod.ts";
import { sizeText } from "../../../base/amounts.ts";
import { daysUntil, formatDatetime } from "../../../base/clock.ts";
import { invalid, invalidField } from "../../../base/errors.ts";
import { type Finding as RowFinding } from "../../../base/findings.ts";
import { first } from "../../../base/first.ts";
import { MAX_MEMBERS, MAX_PEM_TEXT_BYTES } from "../../../base/limits.ts";
import { inSlices } from "../../../base/pace.ts";
import { refusingPrivateKeys } from "../../../resource/mod.ts";
import type { ChainResult } from "../../../x509/chain/mod.ts";
import {
  type BundleMember,
  type Certificate,
  containerOf,
  encodePem,
  type Finding,
  inventoryFields,
  namedMessage,
  PRIVATE_KEY_MESSAGE,
  readingCertificates,
  searchingKey,
  type Warning,
  warningsOf,
} from "../../../x509/mod.ts";
import { validateStored } from "../chain/validate_stored.ts";
import { type ExpiryStatus, expiryStatus } from "../expiry.ts";
import { authorizeImport } from "./responses.ts";
import { previewRows } from "./import_rows.ts";
import { type InspectedRenewal, inspectRenewals } from "./inspect_renewals.ts";
import { bySubject, issuersOf, withoutKeys } from "./bundle.ts";
import { separateRows } from "./pem_item.ts";
import { findingsOf, type ImportRow, type RowStatus } from "./rows.ts";

/** What a certificate contains. */
interface Facts extends Omit<ReturnType<typeof inventoryFields>, "algorithm" | "valid_from" | "valid_to"> {
  /** `2026-11-20T09:22:19Z` */
  readonly valid_from: string;
  readonly valid_to: string;
  /** `RSA`, `ECDSA P-256`, … */
  readonly key: string;
  readonly role: "end entity" | "intermediate" | "root";
  /** Whether subject and issuer are equal. */
  readonly is_self_signed: boolean;
  /** Calendar days (UTC) from today to the expiry; negative after it. */
  readonly days_remaining: number;
  readonly expiry_status: ExpiryStatus;
  readonly is_not_yet_valid: boolean;
  readonly warnings: readonly Warning[];
}

/** A certificate of a text or file, and what an import would do with it. */
export interface InspectedCertificate extends Facts {
  /** From 1. */
  readonly place: number;
  /** Name of its file, if there are several. */
  readonly file?: string;
  /** PEM block and its first line; absent in binary files. */
  readonly block?: number;
  readonly line?: number;
  /** Place of the issuer in this text, found by name. */
  readonly issued_by: number | null;
  /** The chain that it would have; undefined for issuers of other certificates of this text. */
  readonly chain: InspectedChain | undefined;
  readonly status: RowStatus;
  /** Errors, or the reason for skipping. */
  readonly messages: readonly RowFinding[];
  /** Id of the existing certificate if the caller may view it. */
  readonly existing: number | null;
  /**
   * The certificate that it would renew, by its names; undefined for issuers of other certificates of this text, and if
   * another one of this text has the same names and expires later.
   */
  readonly renewable: InspectedRenewal | undefined;
}

/** The result of chain validation in short. */
export interface InspectedChain {
  readonly status: ChainResult["status"];
  /** A sentence that names the certificates of the chain. */
  readonly message: string;
}

export interface Inspection {
  readonly certificates: readonly InspectedCertificate[];
  /** Parts that could not be read. */
  readonly findings: readonly (Finding & { readonly file?: string })[];
  /** The readable certificates as input for `importPem`. */
  readonly pem: string;
}

/** A file, one of several. */
export interface SourceFile {
  readonly name: string;
  readonly content: Uint8Array;
}

/** A text, the bytes of a file, or several files, and fields for all their certificates. */
export interface InspectionInput {
  readonly content: string | Uint8Array | readonly SourceFile[];
  readonly tenant?: unknown;
  readonly tags?: unknown;
  readonly private_key_location?: unknown;
}

const RULE = { onDuplicate: "skip", noun: "certificate", field: "pem_content" } as const;
/** Chains that are validated; a page shows no more. */
const MAX_CHAINS = 60;

/**
 * Plans the import that `importPem` with `split` would do, and stores nothing. Errors: forbidden, invalid.
 */
export async function inspectBundle(
  { ctx, input }: { ctx: Context; input: InspectionInput },
): Promise<Inspection> {
  const allowed = authorizeImport(ctx);
  const { content, ...own } = input;
  const { members, findings } = await read(content);
  const pem = members.map(({ certificate }) => encodePem(certificate.der)).join("");
  requireSize("certificates have", pem.length);
  const errors: RowFinding[] = [];
  await inSlices(refusingPrivateKeys({ ...own }, errors));
  if (errors.length > 0) throw invalid(errors);
  const rows = await rowsOf(members, own);
  const plan = await previewRows({ ctx, allowed, rows, rule: RULE });
  const issuers = issuerPlaces(members);
  const heads = rows.filter(({ place }) => !issuers.includes(place));
  const chains = await inspectChains(ctx, heads);
  const renewables = await inspectRenewals(ctx, { plan, heads });
  const planned = new Map(plan.rows.map((row) => [row.place, row]));
  const certificates = members.map(({ certificate, ...where }, index): InspectedCertificate => {
    const place = index + 1;
    // A text that is refused has one row, with the errors of all certificates.
    const row = planned.get(place) ?? first(plan.rows);
    return {
      place,
      ...where,
      ...factsOf(ctx, certificate),
      issued_by: issuers[index] ?? null,
      chain: chains.get(place),
      renewable: renewables.get(place),
      status: row.status,
      messages: findingsOf(row),
      existing: row.status === "create" || row.status === "error" ? null : row.existing ?? null,
    };
  });
  return { certificates, findings, pem };
}

async function rowsOf(members: Found["members"], own: ImportRow["body"]): Promise<ImportRow[]> {
  if (members.length === 0) return [];
  const found = members.map(({ certificate }) => certificate);
  const reading = await inSlices(withoutKeys(found, []));
  const rows = await inSlices(separateRows(reading, own));
  return rows.map((row) => ({ ...row, place: row.place + 1 }));
}

interface Found {
  readonly members: readonly (BundleMember & { readonly file?: string })[];
  readonly findings: Inspection["findings"];
}

/** Reads one or several files. The limits of one file apply to all of them together. */
async function read(content: InspectionInput["content"]): Promise<Found> {
  if (typeof content === "string" || content instanceof Uint8Array) return await readOne(content);
  requireSize("files have", content.reduce((sum, file) => sum + file.content.length, 0));
  const found: Found[] = [];
  for (const { name: file, content: bytes } of content) {
    const { members, findings } = await readOne(bytes, file);
    found.push({
      members: members.map((member) => ({ ...member, file })),
      findings: findings.map((finding) => ({ ...finding, file })),
    });
  }
  const members = found.flatMap((one) => one.members);
  if (members.length > MAX_MEMBERS) {
    throw tooLarge("files have", `${members.length} certificates together`, MAX_MEMBERS);
  }
  return { members, findings: found.flatMap((one) => one.findings) };
}

function requireSize(subject: string, size: number): void {
  if (size <= MAX_PEM_TEXT_BYTES) return;
  throw tooLarge(subject, `${sizeText(size)} together`, sizeText(MAX_PEM_TEXT_BYTES));
}

function tooLarge(what: string, size: string, limit: string | number): Error {
  return invalidField("pem_content", "document_too_large", { what, size, limit });
}

async function readOne(content: string | Uint8Array, file?: string): Promise<Found> {
  const isContainer = typeof content !== "string" && containerOf(content) !== undefined;
  if (!isContainer && await inSlices(searchingKey(content))) {
    if (file === undefined) throw invalidField("pem_content", "private_key");
    return { members: [], findings: [{ code: "private_key", message: PRIVATE_KEY_MESSAGE.slice(0, -1) }] };
  }
  if (typeof content === "string" ? content.trim() === "" : content.length === 0) {
    throw invalidField("pem_content", "nothing_given", { what: "certificates" });
  }
  return await inSlices(readingCertificates(content));
}

/** Returns the place of each certificate's issuer, by its name, in the text; or null if it is missing. */
function issuerPlaces(members: Found["members"]): (number | null)[] {
  const pool = bySubject(members.map(({ certificate }) => certificate));
  const places = new Map(
    members.map(({ certificate }, index) => [certificate.fingerprintSha256, index + 1] as const).reverse(),
  );
  return members.map(({ certificate }) => {
    const [issuer] = issuersOf(certificate, pool, 1);
    return issuer === undefined ? null : places.get(issuer.fingerprintSha256) ?? null;
  });
}

/** Validates the chains that certificates would have once they are imported. Returns the results by place. */
async function inspectChains(
  ctx: Context,
  heads: readonly ImportRow[],
): Promise<ReadonlyMap<number, InspectedChain>> {
  // A text that is refused has no certificates to import.
  const inspected = heads.slice(0, MAX_CHAINS).flatMap(({ place, body: { pem_content, issuer_chain } }) =>
    typeof pem_content === "string" && typeof issuer_chain === "string"
      ? [{ place, pem_content, issuer_chain }]
      : []
  );
  const results = inspected.length === 0 ? [] : await validateStored(ctx, inspected, { at: ctx.clock.now() });
  return new Map(results.map(({ status, message, path }, index) => {
    const names = path.map(({ certificate }) => inventoryFields(certificate).common_name);
    return [inspected[index]!.place, { status, message: namedMessage(message, names) }];
  }));
}

function factsOf({ clock, settings }: Context, certificate: Certificate): Facts {
  const { valid_from, valid_to, algorithm: _, ...fields } = inventoryFields(certificate);
  const now = clock.now();
  return {
    ...fields,
    valid_from: formatDatetime(valid_from),
    valid_to: formatDatetime(valid_to),
    key: certificate.publicKey.name,
    role: roleOf(certificate),
    is_self_signed: certificate.subject.key === certificate.issuer.key,
    days_remaining: daysUntil(valid_to, now),
    expiry_status: expiryStatus(valid_to, now, settings),
    is_not_yet_valid: valid_from > now,
    warnings: warningsOf(certificate),
  };
}

function roleOf({ basicConstraints, subject, issuer }: Certificate): InspectedCertificate["role"] {
  if (basicConstraints?.ca !== true) return "end entity";
  return subject.key === issuer.key ? "root" : "intermediate";
}

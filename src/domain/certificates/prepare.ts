/**
 * Prepares certificates for a write: fills fields from the PEM, validates them, and finds the authority and
 * the ACME provider.
 */

import { addSome, concerns, type Finding as FieldFinding, finding } from "../../base/findings.ts";
import type { Millis } from "../../base/clock.ts";
import { MAX_NAMES } from "../../base/limits.ts";
import { pacer } from "../../base/pace.ts";
import { readNames } from "../../base/spellings/names.ts";
import type { Cell, ObjectRow } from "../../db/mod.ts";
import { certificates } from "../../db/schema/mod.ts";
import { type Draft, plainHex, quote, refuse, refuseCycles, type Values } from "../../resource/mod.ts";
import {
  type AcmeProvider,
  type Certificate,
  detectAcmeIssuance,
  type Finding,
  inventoryFields,
  readCertificates,
} from "../../x509/mod.ts";
import { IS_WAITING, reopenChains } from "../authorities/mod.ts";
import { isExpired } from "./expiry.ts";
import { matchAuthorities, NO_CHAIN_STATUS } from "./issuing_authority.ts";
import { NO_PEM, pemColumns } from "./pem_columns.ts";
import { chainHash } from "./pem_texts.ts";
import { acceptBlanks, acceptListed, effective, isListed } from "./presence.ts";
import { setReason } from "./replacement.ts";
import type { CertificateDraft, CertificateStep } from "./resource.ts";

/** Fields that a certificate needs, given or read from the PEM. */
export const NEEDED_FIELDS = [
  "common_name",
  "serial_number",
  "issuer",
  "valid_from",
  "valid_to",
  "fingerprint_sha256",
  "algorithm",
] as const;

/** Fields that are read from the PEM. */
export const PEM_FIELDS = [...NEEDED_FIELDS, "key_size", "sans"] as const;

/**
 * Derives columns and validates. One statement to find issuing authorities, one if a successor changes, and one
 * for CA certificates; otherwise none.
 */
export async function prepareCertificates({ ctx, tx, drafts }: CertificateStep): Promise<void> {
  const pause = pacer();
  for (const draft of drafts) {
    await pause();
    if (isListed(draft)) acceptBlanks(draft);
    deriveFromPem(draft);
    divideNames(draft, () => {
      const certificate = cachedCertificate(draft);
      return certificate === undefined ? [] : inventoryFields(certificate).sans;
    });
    requireFields(draft);
    checkValidity(draft);
    if (isListed(draft)) acceptListed(draft);
    setDependentColumns(draft);
    setReason(draft);
    clearSweepMark(draft, ctx.clock.now());
  }
  await refuseCycles(tx, drafts, {
    table: certificates,
    field: "replaced_by",
    column: "replaced_by_id",
    itself: finding("own_successor"),
    cycle: finding("successor_cycle"),
  });
  await matchAuthorities(tx, drafts);
  const subjects = drafts.flatMap(({ row }) =>
    row.kind === "ca" && row.subject !== "" ? [String(row.subject)] : []
  );
  await reopenChains(tx, subjects, IS_WAITING);
}

function deriveFromPem(draft: CertificateDraft): void {
  const created = draft.before === undefined;
  const changed = "pem_content" in draft.input;
  if (created) Object.assign(draft.row, NO_PEM, NO_CHAIN_STATUS);
  const pem = String(draft.input.pem_content ?? draft.before?.pem_content ?? "");
  if (pem === "") {
    if (changed) Object.assign(draft.row, NO_PEM);
    return;
  }
  const examined = ["serial_number", "fingerprint_sha256", "valid_from", "valid_to", "algorithm"];
  if (!changed && !examined.some((name) => name in draft.input)) return;
  const certificate = readPem(draft, pem);
  if (certificate === undefined) return;
  const pemFields = inventoryFields(certificate);
  if (changed) {
    Object.assign(draft.row, pemColumns(certificate));
  }
  const completes = isListed(draft) &&
    [certificate.fingerprintSha256, ""].includes(
      plainHex(draft.before?.fingerprint_sha256 ?? "", { number: false }),
    );
  if (created || (changed && (draft.replaces || completes))) fillFrom(draft, pemFields);
  if (effective(draft, "algorithm") === "unknown") draft.input.algorithm = pemFields.algorithm;
  draft.row.pem_matches = Number(agrees(draft, pemFields));
}

/**
 * Certificates that were parsed before their drafts were made: an import parses them once, outside the
 * transaction. Drafts belong to `resource/`, which does not know certificates, so they have no field for it.
 */
const parsedCertificates = new WeakMap<object, Certificate>();

/** Records that the draft's `pem_content` is exactly this certificate. */
export function cacheCertificate(draft: Draft, certificate: Certificate): void {
  parsedCertificates.set(draft, certificate);
}

/** Returns the certificate in the draft's `pem_content` if it was parsed before. */
export function cachedCertificate(draft: Draft): Certificate | undefined {
  return parsedCertificates.get(draft);
}

/** Returns the first certificate of the text. Adds an error if there is none. */
function readPem(draft: CertificateDraft, pem: string): Certificate | undefined {
  const known = parsedCertificates.get(draft);
  if (known !== undefined) return known;
  const { members, findings } = readCertificates(pem);
  const first = members[0];
  if (first !== undefined && findings.length === 0) {
    parsedCertificates.set(draft, first.certificate);
    return first.certificate;
  }
  for (const one of findings) refuse(draft, "pem_content", unreadable(one));
  return undefined;
}

/** Returns the finding about a part of a text that cannot be read. */
export function unreadable({ code, message: reason, block, line }: Finding): FieldFinding {
  return code === "no_pem"
    ? finding("no_certificate_pem", { reason })
    : finding("pem_unreadable", { kind: "certificate", reason, block, line });
}

type PemFields = ReturnType<typeof inventoryFields>;

/** Fills fields that the caller did not give. The defaults of optional fields do not count as given. */
function fillFrom({ input, before }: CertificateDraft, pemFields: PemFields): void {
  const values: Values = input;
  // What a form repeats is what the list had.
  for (const name of PEM_FIELDS) {
    if (before !== undefined && values[name] === before[name]) delete values[name];
  }
  for (const name of NEEDED_FIELDS) values[name] ??= pemFields[name];
  input.key_size ??= pemFields.key_size ?? null;
  if ((input.sans ?? []).length === 0) input.sans = [...pemFields.sans];
}

function agrees(draft: CertificateDraft, pemFields: PemFields): boolean {
  const hexes = [["serial_number", true], ["fingerprint_sha256", false]] as const;
  const times = ["valid_from", "valid_to"] as const;
  return hexes.every(([name, number]) => {
    const given = String(effective(draft, name));
    return given === pemFields[name] || plainHex(given, { number }) === plainHex(pemFields[name], { number });
  }) && times.every((name) =>
    Math.floor(Number(effective(draft, name)) / 1000) === Math.floor(pemFields[name] / 1000)
  );
}

function requireFields(draft: CertificateDraft): void {
  if ((draft.before !== undefined && !draft.replaces) || concerns(draft.errors, "pem_content")) return;
  for (const name of NEEDED_FIELDS) {
    const given = draft.input[name] ?? draft.row[name] ??
      (isListed(draft) ? draft.before?.[name] : undefined);
    if (given === undefined && !concerns(draft.errors, name)) {
      refuse(draft, name, finding("required"));
    }
  }
}

/**
 * Checks that the validity period does not end before it begins. If that is so in the certificate itself, it
 * is only one of its findings.
 */
function checkValidity(draft: CertificateDraft): void {
  if (!("valid_from" in draft.input) && !("valid_to" in draft.input)) return;
  const from = effective(draft, "valid_from");
  const to = effective(draft, "valid_to");
  if (typeof from !== "number" || typeof to !== "number" || to >= from) return;
  const validity = parsedCertificates.get(draft)?.validity;
  if (validity !== undefined && validity.notBefore === from && validity.notAfter === to) return;
  refuse(draft, "valid_to", finding("ends_before_start", { field: "valid_to", other: "valid_from" }));
}

/**
 * Sets columns that depend on others: the status `replaced` with a successor, no chain result after a change
 * of PEM, chain or authority, and the ACME provider.
 */
function setDependentColumns(draft: CertificateDraft): void {
  const { input, before, row } = draft;
  if (typeof input.replaced_by === "number" && input.replaced_by !== before?.replaced_by_id) {
    input.status = "replaced";
  }
  const changed = (name: string): boolean => name in input && input[name] !== before?.[name];
  // A form that sends what the service found does not decide it.
  if (before !== undefined && !changed("automation")) delete input.automation;
  const chain = "issuer_chain" in input && chainHash(input.issuer_chain) !== before?.issuer_chain_sha256;
  const authority = "issuing_ca" in input && input.issuing_ca !== (before?.issuing_ca_id ?? null);
  if (before !== undefined && (changed("pem_content") || chain || authority)) {
    Object.assign(row, NO_CHAIN_STATUS);
  }
  const described = ["issuer", "common_name", "pem_content"];
  if (before === undefined || described.some(changed)) detectAcme(draft);
}

/**
 * Clears the marks that the expiry sweep or a revocation set the status, if a user changes it: to another status or
 * validity, or to `expired` for a certificate that is still valid.
 */
function clearSweepMark(draft: CertificateDraft, now: Millis): void {
  const { input, before, row } = draft;
  if (before === undefined) return;
  const isSet = "status" in input && input.status !== before.status;
  if (isSet && before.revoked_from !== null) row.revoked_from = null;
  if (before.expired_from === null || row.expired_from !== undefined) return;
  const decided = "status" in input || row.status !== undefined;
  const status = input.status ?? row.status;
  const validTo = input.valid_to ?? before.valid_to;
  const changed = (decided && status !== before.status) || validTo !== before.valid_to;
  if (changed || (decided && !isExpired(validTo, now))) row.expired_from = null;
}

function detectAcme(draft: CertificateDraft): void {
  const issuer = effective(draft, "issuer");
  const commonName = effective(draft, "common_name");
  if (typeof issuer !== "string" || typeof commonName !== "string") return;
  const pem = String(effective(draft, "pem_content") ?? "");
  if (concerns(draft.errors, "pem_content")) return;
  const provider = detectAcmeIssuance({
    issuer,
    commonName,
    certificate: () => pem === "" ? undefined : readPem(draft, pem),
  });
  Object.assign(draft.row, acmeColumns(provider));
}

/** Returns the columns for a provider. Without one, both flags are cleared. */
export function acmeColumns(provider: AcmeProvider | null): Record<string, Cell> {
  return { is_acme: Number(provider !== null), acme_provider: provider ?? "" };
}

/**
 * Divides the names of a draft, except those that it has already, or that its PEM has: a name in a certificate or a
 * request can contain anything. `ofPem` is called only for names that would be divided.
 */
export function divideNames(
  draft: Draft<ObjectRow, Values & { sans?: string[] }>,
  ofPem: () => readonly string[],
): void {
  const { input, before } = draft;
  if (input.sans === undefined) return;
  let known: Set<unknown> | undefined;
  const isKnown = (name: string): boolean =>
    (known ??= new Set([...JSON.parse(String(before?.sans ?? "[]")), ...ofPem()])).has(name);
  const wrong = new Set<string>();
  const names = input.sans.flatMap((text) => {
    const read = readNames(text, isKnown);
    if (read === undefined) wrong.add(text);
    return read ?? [];
  });
  const expected = "one name, or several with commas or semicolons in between";
  const reason = (text: string): FieldFinding => finding("unexpected", { expected, value: quote(text) });
  addSome(draft.errors, "sans", { wrong: [...wrong], reason });
  if (names.length > MAX_NAMES) {
    const expected = `at most ${MAX_NAMES} names`;
    refuse(draft, "sans", finding("unexpected", { expected, value: names.length }));
  }
  input.sans = names;
}

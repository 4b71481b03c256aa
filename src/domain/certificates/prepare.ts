/** What a certificate's PEM says fills the record; the record is judged; its authority and ACME provider are found. */

import type { Certificate, Finding } from "../../x509/mod.ts";
import { detectAcmeIssuance, inventoryFields, readCertificates } from "../../x509/mod.ts";
import type { Millis } from "../../base/clock.ts";
import { sha256Hex } from "../../base/bytes.ts";
import { pacer } from "../../base/pace.ts";
import type { Cell, Row } from "../../db/mod.ts";
import { type Draft, plainHex, refuse, REQUIRED, type WriteStep } from "../../resource/mod.ts";
import { acmeColumns } from "./acme_columns.ts";
import { isExpired } from "./expiry.ts";
import { matchAuthorities } from "./match_authority.ts";
import { NO_VERDICT } from "./no_verdict.ts";
import { refuseCycles } from "./refuse_cycles.ts";

/** Fields that a record must have, given or read from the PEM. */
const NEEDED = [
  "common_name",
  "serial_number",
  "issuer",
  "valid_from",
  "valid_to",
  "fingerprint_sha256",
  "algorithm",
] as const;

/** Derived columns of a certificate about which nothing more is known. */
const UNKNOWN: Record<string, Cell> = {
  subject: "",
  has_pem: 0,
  pem_matches: null,
  authority_key_id: null,
  spki_sha256: null,
};

/**
 * Derives and validates. One statement more (the authorities) where an issuing authority must be found, and one where a
 * successor changes.
 */
export async function prepareCertificates({ ctx, tx, drafts }: WriteStep): Promise<void> {
  const pause = pacer();
  for (const draft of drafts) {
    await pause();
    deriveFromPem(draft);
    requireFields(draft);
    judge(draft);
    noteConsequences(draft);
    forgetSweep(draft, ctx.clock.now());
  }
  await refuseCycles(tx, drafts);
  await matchAuthorities(tx, drafts);
}

function deriveFromPem(draft: Draft): void {
  const created = draft.before === undefined;
  const touched = "pem_content" in draft.input;
  if (created) Object.assign(draft.row, UNKNOWN, NO_VERDICT);
  const pem = (touched ? draft.input.pem_content : draft.before?.pem_content ?? "") as string;
  if (pem === "") {
    if (touched) Object.assign(draft.row, UNKNOWN);
    return;
  }
  const matchable = ["serial_number", "fingerprint_sha256", "valid_from", "valid_to"];
  if (!touched && !matchable.some((name) => name in draft.input)) return;
  const certificate = readPem(draft, pem);
  if (certificate === undefined) return;
  const said = inventoryFields(certificate);
  if (touched) {
    draft.row.subject = said.subject;
    draft.row.has_pem = 1;
    draft.row.authority_key_id = certificate.authorityKeyId?.toHex() ?? null;
    draft.row.spki_sha256 = sha256Hex(certificate.publicKey.spki);
  }
  if (created || (touched && draft.replaces)) fillFrom(draft, said);
  draft.row.pem_matches = Number(agrees(draft, said));
}

/** Certificates that were read before their drafts were made: an import reads outside of the transaction, and once. */
const readBefore = new WeakMap<Draft, Certificate>();

/** Says that the draft's `pem_content` is this certificate and nothing else. */
export function notePem(draft: Draft, certificate: Certificate): void {
  readBefore.set(draft, certificate);
}

/** The first certificate of the text; a text that holds none is a finding. */
function readPem(draft: Draft, pem: string): Certificate | undefined {
  const known = readBefore.get(draft);
  if (known !== undefined) return known;
  const { members, findings } = readCertificates(pem);
  const first = members[0];
  if (first !== undefined && findings.length === 0) {
    readBefore.set(draft, first.certificate);
    return first.certificate;
  }
  for (const finding of findings) refuse(draft, "pem_content", unreadable(finding));
  return undefined;
}

/** The message about a part of a text that cannot be read. */
export function unreadable({ message, block, line }: Finding): string {
  const where = block === undefined ? "" : ` (block ${block}, line ${line})`;
  return `Invalid PEM format or unable to parse certificate: ${message}${where}.`;
}

type Said = ReturnType<typeof inventoryFields>;

/** What the PEM says where the caller said nothing. Fallbacks of optional fields do not count as said. */
function fillFrom({ input }: Draft, said: Said): void {
  for (const name of NEEDED) input[name] ??= said[name];
  input.key_size ??= said.key_size ?? null;
  if ((input.sans as string[] | undefined ?? []).length === 0) input.sans = said.sans;
}

function agrees(draft: Draft, said: Said): boolean {
  const hexes = [["serial_number", true], ["fingerprint_sha256", false]] as const;
  const moments = ["valid_from", "valid_to"] as const;
  return hexes.every(([name, number]) => {
    const given = effective(draft, name) as string;
    return given === said[name] || plainHex(given, { number }) === plainHex(said[name], { number });
  }) && moments.every((name) =>
    Math.floor((effective(draft, name) as number) / 1000) === Math.floor(said[name] / 1000)
  );
}

/** What the record will hold: what is given, else what is stored. */
function effective(draft: Draft, name: string): unknown {
  return name in draft.input ? draft.input[name] : (draft.before as Row | undefined)?.[name];
}

function requireFields(draft: Draft): void {
  if ((draft.before !== undefined && !draft.replaces) || draft.errors.pem_content !== undefined) return;
  for (const name of NEEDED) {
    if (draft.input[name] === undefined && draft.errors[name] === undefined) refuse(draft, name, REQUIRED);
  }
}

function judge(draft: Draft): void {
  const from = effective(draft, "valid_from");
  const to = effective(draft, "valid_to");
  if (typeof from === "number" && typeof to === "number" && to < from) {
    refuse(draft, "valid_to", "The end of the validity lies before its beginning.");
  }
}

/** A successor makes it `replaced`; another PEM or chain or authority makes the stored verdict void; ACME is detected anew. */
function noteConsequences(draft: Draft): void {
  const { input, before, row } = draft;
  if (typeof input.replaced_by === "number" && input.replaced_by !== before?.replaced_by_id) {
    input.status = "replaced";
  }
  const changed = (name: string): boolean => name in input && input[name] !== before?.[name];
  const authority = "issuing_ca" in input && input.issuing_ca !== (before?.issuing_ca_id ?? null);
  if (before !== undefined && (changed("pem_content") || changed("issuer_chain") || authority)) {
    Object.assign(row, NO_VERDICT);
  }
  const described = ["issuer", "common_name", "pem_content"];
  if (before === undefined || described.some(changed)) detectAcme(draft);
}

/**
 * Forgets that the sweep ended a certificate once a person decides: by another status or validity, or by saying
 * `expired` of one that is still valid.
 */
function forgetSweep(draft: Draft, now: Millis): void {
  const { input, before, row } = draft;
  if (before === undefined || before.expired_from === null || row.expired_from !== undefined) return;
  const decided = "status" in input || row.status !== undefined;
  const status = input.status ?? row.status;
  const validTo = effective(draft, "valid_to") as number;
  const changed = (decided && status !== before.status) || validTo !== before.valid_to;
  if (changed || (decided && !isExpired(validTo, now))) row.expired_from = null;
}

function detectAcme(draft: Draft): void {
  const issuer = effective(draft, "issuer");
  const commonName = effective(draft, "common_name");
  if (typeof issuer !== "string" || typeof commonName !== "string") return;
  const pem = (effective(draft, "pem_content") ?? "") as string;
  if (draft.errors.pem_content !== undefined) return;
  const provider = detectAcmeIssuance({
    issuer,
    commonName,
    certificate: () => pem === "" ? undefined : readPem(draft, pem),
  });
  Object.assign(draft.row, acmeColumns(provider));
}

/** Describes the certificates of a text or file, and what an import would do with each. */

import type { Context } from "../../../auth/mod.ts";
import { formatDatetime } from "../../../base/clock.ts";
import { type FieldErrors, invalid } from "../../../base/errors.ts";
import { inSlices } from "../../../base/pace.ts";
import { refusingPrivateKeys, type WriteCall } from "../../../resource/mod.ts";
import {
  type Bundle,
  type BundleMember,
  type Certificate,
  encodePem,
  type Finding,
  inventoryFields,
  PRIVATE_KEY_MESSAGE,
  readingCertificates,
  searchingKey,
  warningsOf,
} from "../../../x509/mod.ts";
import { certificates as resource } from "../mod.ts";
import { authorizeImport } from "./authorize_import.ts";
import { OUTSIDE_MESSAGE, placesOutside } from "./import_rows.ts";
import { bySubject, issuersOf, type Pool } from "./members.ts";
import { readPemItems } from "./pem_item.ts";
import { type Plan, planRows } from "./plan.ts";
import { rehearse } from "./rehearse.ts";

export interface InspectedCertificate {
  /** From 1. */
  readonly place: number;
  /** PEM block and its first line; absent in binary files. */
  readonly block?: number;
  readonly line?: number;
  readonly common_name: string;
  readonly subject: string;
  readonly issuer: string;
  readonly serial_number: string;
  /** `2026-11-20T09:22:19Z` */
  readonly valid_from: string;
  readonly valid_to: string;
  /** `RSA`, `ECDSA P-256`, … */
  readonly key: string;
  /** Bits; null if unknown. */
  readonly key_size: number | null;
  readonly sans: readonly string[];
  readonly fingerprint_sha256: string;
  readonly role: "end entity" | "intermediate" | "root";
  /** Place of the issuer, by its name, in this text. */
  readonly issued_by: number | null;
  readonly warnings: readonly string[];
  readonly status: "create" | "skip" | "error";
  /** By field; the reason for skipping is under `__all__`. */
  readonly messages: FieldErrors;
  /** Id of the existing certificate if the caller may view it. */
  readonly existing: number | null;
}

export interface Inspection {
  readonly kind: Bundle["kind"];
  readonly certificates: readonly InspectedCertificate[];
  /** Parts that could not be read. */
  readonly findings: readonly Finding[];
  /** The readable certificates as input for `importPem`. */
  readonly pem: string;
}

/** The text or the bytes of a file, and fields for all its certificates. */
export interface InspectionInput {
  readonly content: string | Uint8Array;
  readonly tenant?: unknown;
  readonly tags?: unknown;
  readonly private_key_location?: unknown;
}

const RULE = { onDuplicate: "skip", noun: "certificate", field: "pem_content" } as const;

/** Plans the import that `importPem` with `split` would do; stores nothing. Errors: forbidden, invalid. */
export async function inspectBundle(
  { ctx, input }: { ctx: Context; input: InspectionInput },
): Promise<Inspection> {
  const allowed = authorizeImport(ctx);
  const { content, ...own } = input;
  if (await inSlices(searchingKey(content))) throw invalid({ pem_content: [PRIVATE_KEY_MESSAGE] });
  if (typeof content === "string" ? content.trim() === "" : content.length === 0) {
    throw invalid({ pem_content: ["Paste certificates or choose a file."] });
  }
  const { kind, members, findings } = await inSlices(readingCertificates(content));
  const pem = members.map(({ certificate }) => encodePem(certificate.der)).join("");
  const errors: FieldErrors = {};
  await inSlices(refusingPrivateKeys({ ...own }, errors));
  if (Object.keys(errors).length > 0) throw invalid(errors);
  const rows = members.length === 0 ? [] : await inSlices(readPemItems({ ...own, pem_content: pem }));
  const outcome = await rehearse(ctx.database, async (tx) => {
    const call: WriteCall = { ctx, tx, resource, allowed };
    const plan = await planRows(call, rows.map((row) => ({ ...row, place: row.place + 1 })), RULE);
    return { plan, outside: await placesOutside(call, plan) };
  });
  return { kind, certificates: described(members, outcome), findings, pem };
}

function described(
  members: readonly BundleMember[],
  { plan, outside }: { plan: Plan; outside: ReadonlySet<number> },
): InspectedCertificate[] {
  const pool = bySubject(members.map(({ certificate }) => certificate));
  const places = new Map(
    members.map(({ certificate }, index) => [certificate.fingerprintSha256, index + 1] as const).reverse(),
  );
  return members.map(({ certificate, ...where }, index) => {
    const place = index + 1;
    return {
      place,
      ...where,
      ...factsOf(certificate),
      issued_by: issuerPlace(certificate, { pool, places }),
      ...outcomeOf(place, { plan, outside }),
    };
  });
}

type Facts = Omit<
  InspectedCertificate,
  "place" | "block" | "line" | "issued_by" | "status" | "messages" | "existing"
>;

function factsOf(certificate: Certificate): Facts {
  const { valid_from, valid_to, algorithm: _, ...fields } = inventoryFields(certificate);
  return {
    ...fields,
    valid_from: formatDatetime(valid_from),
    valid_to: formatDatetime(valid_to),
    key: certificate.publicKey.name,
    role: roleOf(certificate),
    warnings: warningsOf(certificate).map(({ message }) => message),
  };
}

function roleOf({ basicConstraints, subject, issuer }: Certificate): InspectedCertificate["role"] {
  if (basicConstraints?.ca !== true) return "end entity";
  return subject.key === issuer.key ? "root" : "intermediate";
}

function issuerPlace(
  certificate: Certificate,
  { pool, places }: { pool: Pool; places: ReadonlyMap<string, number> },
): number | null {
  const [issuer] = issuersOf(certificate, pool, 1);
  return issuer === undefined ? null : places.get(issuer.fingerprintSha256) ?? null;
}

function outcomeOf(
  place: number,
  { plan, outside }: { plan: Plan; outside: ReadonlySet<number> },
): Pick<InspectedCertificate, "status" | "messages" | "existing"> {
  const failed = plan.failed.find((row) => row.place === place);
  if (failed !== undefined) return { status: "error", messages: failed.errors, existing: null };
  const skipped = plan.skipped.find((row) => row.place === place);
  if (skipped !== undefined) {
    return { status: "skip", messages: { __all__: [skipped.reason] }, existing: skipped.existing ?? null };
  }
  return outside.has(place)
    ? { status: "error", messages: { __all__: [OUTSIDE_MESSAGE] }, existing: null }
    : { status: "create", messages: {}, existing: null };
}

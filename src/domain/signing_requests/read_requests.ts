/** Reads requests that are given as PEM: verifies them, and fills fields that are not given, also from a certificate to renew. */

import { sha256Hex } from "../../base/bytes.ts";
import { addFinding, addOnce, concerns, type Finding, finding } from "../../base/findings.ts";
import type { ObjectRow } from "../../db/mod.ts";
import { EVERYTHING } from "../../filters/mod.ts";
import {
  linksOf,
  loadForChange,
  type ParsedBody,
  plainHex,
  type Values,
  type WriteStep,
} from "../../resource/mod.ts";
import {
  encodePem,
  readRequest,
  type RequestFields,
  requestFields,
  type SigningRequest,
  verifySelfSignature,
} from "../../x509/mod.ts";
import { certificates, issuerName } from "../certificates/mod.ts";

/** Maximum length of the field `target_ca`. */
export const MAX_AUTHORITY_CHARS = 200;

/**
 * Fills empty fields of new requests from the certificates that they renew: names (unless the PEM has them), tenant, tags
 * and authority. One statement if there are any.
 */
export async function takeOver({ ctx, tx, drafts }: WriteStep<ObjectRow, Values>): Promise<void> {
  const renewing = drafts.filter(({ input, before }) =>
    before === undefined && typeof input.renews === "number"
  );
  if (renewing.length === 0) return;
  const ids = renewing.map(({ input }) => Number(input.renews));
  // The reference was resolved, so that the caller may view them.
  const found = await loadForChange({ ctx, tx, resource: certificates, allowed: EVERYTHING }, ids);
  for (const { input } of renewing) {
    const row = found.get(Number(input.renews));
    if (row === undefined) continue;
    const values = {
      // The PEM has its own names.
      ...(input.pem_content ? {} : { common_name: row.common_name, sans: JSON.parse(row.sans) }),
      tenant: row.tenant_id,
      tags: linksOf({ before: row }, "tags"),
      target_ca: issuerName(row.issuer).slice(0, MAX_AUTHORITY_CHARS),
    };
    for (const [name, value] of Object.entries(values)) if (isEmpty(input[name])) input[name] = value;
  }
}

/** PKCS#9 challengePassword (RFC 2985 §5.4.1): a secret shared by the applicant and the authority. */
const CHALLENGE_PASSWORD = "1.2.840.113549.1.9.7";

/** Fields that are filled from the PEM if they are not given. Given values take precedence. */
const DESCRIPTIVE = [
  "common_name",
  "organization",
  "organizational_unit",
  "locality",
  "state",
  "country",
  "sans",
] as const satisfies readonly (keyof RequestFields)[];

/** Fields that the PEM determines. Other values are refused. */
export const FIXED_BY_PEM = [
  "fingerprint_sha256",
  "algorithm",
  "key_size",
  "subject_string",
] as const satisfies readonly (keyof RequestFields)[];

/**
 * Reads the PEM of all bodies. Runs before the database is locked, because verifying a signature takes long.
 */
export async function readRequests({ given }: { given: readonly ParsedBody[] }): Promise<void> {
  for (const one of given) {
    const { input, errors } = one;
    if (!("pem_content" in input)) continue;
    input.spki_sha256 = null;
    if (input.pem_content === "" || concerns(errors, "pem_content")) continue;
    const request = readPem(one);
    if (request !== undefined) await take(one, request);
  }
}

function readPem({ input, errors }: ParsedBody): SigningRequest | undefined {
  const { request, findings } = readRequest(String(input.pem_content));
  if (request !== undefined) return request;
  for (const { code, message: reason, block, line } of findings) {
    const params = { kind: "certificate request", reason, block, line };
    addOnce(
      errors,
      "pem_content",
      code === "no_pem" ? finding("no_request_pem", { reason }) : finding("pem_unreadable", params),
    );
  }
  return undefined;
}

async function take({ input, errors, reveal }: ParsedBody, request: SigningRequest): Promise<void> {
  const warnings = request.findings.map(({ message }) => `${message}.`);
  const signature = await verifySelfSignature(request);
  if (signature.kind === "bad") {
    addFinding(errors, "pem_content", finding("request_signature_invalid", { reason: signature.reason }));
  } else if (signature.kind === "unsupported") {
    warnings.push(`The request's signature cannot be checked: ${signature.reason}.`);
  }
  const fields = requestFields(request);
  for (const name of DESCRIPTIVE) if (isEmpty(input[name])) input[name] = fields[name];
  for (const name of FIXED_BY_PEM) {
    if (isEmpty(input[name]) || isSameValue(name, input[name], fields[name])) input[name] = fields[name];
    else addFinding(errors, name, contradiction(fields[name]));
  }
  input.spki_sha256 = sha256Hex(request.publicKey.spki);
  input.pem_content = encodePem(request.der, "CERTIFICATE REQUEST");
  // The password cannot be removed from the PEM, because the signature covers the attributes.
  if (request.attributes.some(({ oid }) => oid === CHALLENGE_PASSWORD)) {
    input.pem_content = "";
    warnings.push("The request contains a challenge password. Its fields were stored, but not its PEM.");
  }
  reveal.warnings = warnings;
}

/** Returns whether there is no value: it is absent, empty, or `unknown`. */
export function isEmpty(value: unknown): boolean {
  return value === undefined || value === null || value === "" || value === "unknown" ||
    (Array.isArray(value) && value.length === 0);
}

/** Returns whether two values of a field are equal. Fingerprints may be in any notation. */
export function isSameValue(name: typeof FIXED_BY_PEM[number], one: unknown, other: unknown): boolean {
  if (name !== "fingerprint_sha256") return one === other;
  const [left, right] = [one, other].map((value) => plainHex(String(value), { number: false }));
  return left === right;
}

/** Returns the error about a value that the PEM contradicts. */
export function contradiction(expected: unknown): Finding {
  return finding("contradicts_pem", { value: String(expected ?? "unknown") });
}

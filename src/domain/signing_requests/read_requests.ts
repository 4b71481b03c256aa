/** Reads requests that are given as PEM: verifies them, and fills fields that are not given. */

import { sha256Hex } from "../../base/bytes.ts";
import { addError } from "../../base/errors.ts";
import { type ParsedBody, plainHex } from "../../resource/mod.ts";
import {
  encodePem,
  readRequest,
  type RequestFields,
  requestFields,
  type SigningRequest,
  verifySelfSignature,
} from "../../x509/mod.ts";

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
    if (input.pem_content === "" || errors.pem_content !== undefined) continue;
    const request = readPem(one);
    if (request !== undefined) await take(one, request);
  }
}

function readPem({ input, errors }: ParsedBody): SigningRequest | undefined {
  const { request, findings } = readRequest(String(input.pem_content));
  if (request !== undefined) return request;
  for (const { message, block, line } of findings) {
    const where = block === undefined ? "" : ` (block ${block}, line ${line})`;
    const text = `Invalid PEM format or unable to parse certificate request: ${message}${where}.`;
    if (!errors.pem_content?.includes(text)) addError(errors, "pem_content", text);
  }
  return undefined;
}

async function take({ input, errors, reveal }: ParsedBody, request: SigningRequest): Promise<void> {
  const warnings = request.findings.map(({ message }) => `${message}.`);
  const signature = await verifySelfSignature(request);
  if (signature.kind === "bad") {
    addError(errors, "pem_content", `The request's signature is invalid: ${signature.reason}.`);
  } else if (signature.kind === "unsupported") {
    warnings.push(`The request's signature cannot be checked: ${signature.reason}.`);
  }
  const fields = requestFields(request);
  for (const name of DESCRIPTIVE) if (isEmpty(input[name])) input[name] = fields[name];
  for (const name of FIXED_BY_PEM) {
    if (isEmpty(input[name]) || isSameValue(name, input[name], fields[name])) input[name] = fields[name];
    else addError(errors, name, contradiction(fields[name]));
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
function isEmpty(value: unknown): boolean {
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
export function contradiction(expected: unknown): string {
  return `The PEM of the request has another value: ${expected ?? "unknown"}.`;
}

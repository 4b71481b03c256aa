/** Reads the requests that are given as PEM: verifies them and takes from them what was not said. */

import { sha256Hex } from "../../base/bytes.ts";
import { addError } from "../../base/errors.ts";
import { type ParsedBody, plainHex } from "../../resource/mod.ts";
import {
  encodePem,
  readRequest,
  type RequestFields,
  requestFields,
  type SigningRequest,
  verifyRequest,
} from "../../x509/mod.ts";

/** PKCS#9 challengePassword (RFC 2985 §5.4.1): a secret between the applicant and the authority. */
const CHALLENGE_PASSWORD = "1.2.840.113549.1.9.7";

/** Taken from the PEM where nothing is given; what is given stands. */
const DESCRIPTIVE = [
  "common_name",
  "organization",
  "organizational_unit",
  "locality",
  "state",
  "country",
  "sans",
] as const satisfies readonly (keyof RequestFields)[];

/** What the PEM settles: nothing else may be said beside it. */
export const SETTLED = [
  "fingerprint_sha256",
  "algorithm",
  "key_size",
  "subject_string",
] as const satisfies readonly (keyof RequestFields)[];

/** Before the database is locked, because a signature takes its time. */
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
  const { request, findings } = readRequest(input.pem_content as string);
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
  const signature = await verifyRequest(request);
  if (signature.kind === "bad") {
    addError(errors, "pem_content", `The request's signature does not verify: ${signature.reason}.`);
  } else if (signature.kind === "unsupported") {
    warnings.push(`The request's signature cannot be checked: ${signature.reason}.`);
  }
  const said = requestFields(request);
  for (const name of DESCRIPTIVE) if (isEmpty(input[name])) input[name] = said[name];
  for (const name of SETTLED) {
    if (isEmpty(input[name]) || sameFact(name, input[name], said[name])) input[name] = said[name];
    else addError(errors, name, contradiction(said[name]));
  }
  input.spki_sha256 = sha256Hex(request.publicKey.spki);
  input.pem_content = encodePem(request.der, "CERTIFICATE REQUEST");
  // The signature covers the attributes, so the password cannot be cut out of the text.
  if (request.attributes.some(({ oid }) => oid === CHALLENGE_PASSWORD)) {
    input.pem_content = "";
    warnings.push("The request carries a challenge password: what it says was kept, but not its text.");
  }
  reveal.warnings = warnings;
}

/** Nothing was said: absent, empty, or the value that stands for not known. */
function isEmpty(value: unknown): boolean {
  return value === undefined || value === null || value === "" || value === "unknown" ||
    (Array.isArray(value) && value.length === 0);
}

/** Whether two values say the same of a request. */
export function sameFact(name: typeof SETTLED[number], one: unknown, other: unknown): boolean {
  if (name !== "fingerprint_sha256") return one === other;
  const [left, right] = [one, other].map((value) => plainHex(String(value), { number: false }));
  return left === right;
}

/** The message about a value that the stored or given request contradicts. */
export function contradiction(said: unknown): string {
  return `The request's own text says otherwise: ${said ?? "not known"}.`;
}

/** Certification requests (PKCS#10, RFC 2986). */

import { createHash } from "node:crypto";
import { MAX_PEM_TEXT_BYTES } from "../base/limits.ts";
import { checkAlgorithm, readAlgorithm } from "./algorithms.ts";
import {
  bytesOf,
  contextTag,
  DerReader,
  findingOf,
  LimitError,
  readerOf,
  requireSize,
  soleSequence,
  TAG,
} from "./der.ts";
import { oidOf, smallIntegerOf, wholeBitStringOf } from "./der_values.ts";
import { noExtensions, readExtensions } from "./extensions.ts";
import { readName } from "./names.ts";
import { REQUEST_ATTRIBUTE_NAMES } from "./oids.ts";
import { readPem } from "./pem.ts";
import { readPublicKey } from "./public_key.ts";
import { decodeText } from "./strings.ts";
import type { ExtensionValues, Finding, RequestReading, SigningRequest } from "./types.ts";

const REQUEST_LABELS = ["CERTIFICATE REQUEST", "NEW CERTIFICATE REQUEST"];
/** OIDs of attributes that contain a list of extensions; the second one is Microsoft's. */
const EXTENSION_REQUESTS = ["1.2.840.113549.1.9.14", "1.3.6.1.4.1.311.2.1.14"];
/** Maximum number of attributes of a request; real ones have fewer than 10. */
const MAX_ATTRIBUTES = 50;

/** Reads the only request of a PEM text or DER file. Never throws. */
export function readRequest(input: Uint8Array | string): RequestReading {
  if (input.length > MAX_PEM_TEXT_BYTES) {
    return {
      findings: [{ code: "too_large", message: `The input is larger than ${MAX_PEM_TEXT_BYTES} bytes` }],
    };
  }
  const text = typeof input === "string" ? input : decodeText(input);
  if (text === undefined) return parseRequest(input as Uint8Array);
  const { blocks, findings } = readPem(text);
  const [first, ...more] = blocks;
  if (findings.length > 0 || first === undefined) return { findings };
  const position = { block: first.block, line: first.line };
  if (!REQUEST_LABELS.includes(first.label)) {
    const message = `${first.label} is not a certificate signing request`;
    return { findings: [{ code: "unexpected_block", message, ...position }] };
  }
  if (more.length > 0) {
    const { block, line } = more[0]!;
    return { findings: [{ code: "unexpected_block", message: "More than one PEM block", block, line }] };
  }
  const reading = parseRequest(first.bytes);
  if (reading.request !== undefined) return reading;
  return { findings: reading.findings.map((finding) => ({ ...finding, ...position })) };
}

/** Reads exactly one request from its DER. Never throws. */
export function parseRequest(der: Uint8Array): RequestReading {
  try {
    requireSize(der, "request");
    const request = readRequestDer(der);
    return { request, findings: request.findings };
  } catch (error) {
    return { findings: [findingOf(error)] };
  }
}

function readRequestDer(der: Uint8Array): SigningRequest {
  const sequence = soleSequence(der, "request");
  const info = sequence.expect(TAG.sequence, "certificationRequestInfo");
  const signatureAlgorithm = readAlgorithm(sequence, "signatureAlgorithm");
  const signature = wholeBitStringOf(sequence.expect(TAG.bitString, "signature"), "signature");
  sequence.finish("request");
  const findings: Finding[] = [];
  checkAlgorithm(signatureAlgorithm, findings);
  const reader = readerOf(info);
  const version = smallIntegerOf(reader.expect(TAG.integer, "version"), "version");
  if (version !== 0) {
    findings.push({ code: "version_mismatch", message: `The request's version is ${version + 1}` });
  }
  const subject = readName(reader, { field: "subject", findings });
  const publicKey = readPublicKey(reader);
  if (publicKey.malformed !== undefined) {
    findings.push({ code: "malformed_key", message: `The public key is malformed: ${publicKey.malformed}` });
  }
  // RFC 2986 requires the attributes field even when it is empty; some tools omit it.
  const list = reader.optional(contextTag(0, true), "attributes");
  reader.finish("certificationRequestInfo");
  return {
    der,
    info: bytesOf(info),
    subject,
    publicKey,
    signatureAlgorithm,
    signature,
    fingerprintSha256: createHash("sha256").update(der).digest("hex"),
    ...readAttributes(list === undefined ? new DerReader(new Uint8Array()) : readerOf(list), findings),
    findings,
  };
}

/** Reads the names of attributes, and the extensions of an extension request. Other values are not read. */
function readAttributes(
  list: DerReader,
  findings: Finding[],
): ExtensionValues & Pick<SigningRequest, "attributes"> {
  const attributes: { oid: string; name: string }[] = [];
  let values: ExtensionValues | undefined;
  while (!list.done) {
    if (attributes.length === MAX_ATTRIBUTES) throw new LimitError(`More than ${MAX_ATTRIBUTES} attributes`);
    const attribute = list.enter(TAG.sequence, "attribute");
    const oid = oidOf(attribute.expect(TAG.oid, "attribute type"), "attribute type");
    const set = attribute.enter(TAG.set, "attribute values");
    attribute.finish("attribute");
    attributes.push({ oid, name: REQUEST_ATTRIBUTE_NAMES[oid] ?? oid });
    if (!EXTENSION_REQUESTS.includes(oid)) continue;
    if (values !== undefined) {
      findings.push({
        code: "duplicate_attribute",
        message: "More than one extension request. Only the first is used",
      });
      continue;
    }
    values = readExtensions(set, findings);
    set.finish("extension request");
  }
  return { attributes, ...(values ?? noExtensions()) };
}

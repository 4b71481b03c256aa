/** AlgorithmIdentifier (RFC 5280 §4.1.1.2) and the names of signature algorithms. */

import {
  HASH_NAMES,
  KEY_OID,
  POST_QUANTUM_NAMES,
  SIGNATURE_NAMES,
  SINGLE_OID_ALGORITHMS,
} from "./algorithm_names.ts";
import { bytesOf, contextTag, DerError, derErrorOf, DerReader, type Element, readerOf, TAG } from "./der.ts";
import { oidOf, smallIntegerOf } from "./der_values.ts";
import { addFinding } from "./findings.ts";
import type { AlgorithmIdentifier, Finding } from "./types.ts";

/** RSASSA-PSS-params (RFC 4055 §3.1), with the defaults filled in. */
export interface PssParameters {
  /** OID of the hash. */
  readonly hash: string;
  /** OID of the hash in MGF1; absent if the mask generation function is not MGF1. */
  readonly maskHash?: string;
  readonly saltLength: number;
  /** 1 in all known signatures. */
  readonly trailerField: number;
}

const SHA1 = "1.3.14.3.2.26";
const MGF1 = "1.2.840.113549.1.1.8";

/** Reports malformed RSASSA-PSS parameters, because the signature cannot be checked then. */
export function checkAlgorithm({ oid, parameters }: AlgorithmIdentifier, findings: Finding[]): void {
  if (oid !== KEY_OID.rsaPss || pssParameters(parameters) !== undefined) return;
  addFinding(findings, {
    code: "malformed_algorithm",
    message: "The parameters of RSASSA-PSS are malformed",
  });
}

/** Reads the next element as an AlgorithmIdentifier. */
export function readAlgorithm(reader: DerReader, field: string): AlgorithmIdentifier {
  const element = reader.expect(TAG.sequence, field);
  const { oid, parameters } = algorithmParts(element, field);
  const der = bytesOf(element);
  const name = signatureName(oid, parameters);
  return parameters === undefined ? { oid, name, der } : { oid, name, parameters, der };
}

/** Returns the OID and the DER of the parameters of an AlgorithmIdentifier. */
export function algorithmParts(element: Element, field: string): { oid: string; parameters?: Uint8Array } {
  const sequence = readerOf(element);
  const oid = oidOf(sequence.expect(TAG.oid, `${field}: OID`), `${field}: OID`);
  if (sequence.done) return { oid };
  const parameters = sequence.next(`${field}: parameters`);
  sequence.finish(field);
  if (parameters.tag === TAG.null && parameters.end !== parameters.contentStart) {
    throw new DerError(`${field}: a NULL with content`);
  }
  return { oid, parameters: bytesOf(parameters) };
}

/** Reads RSASSA-PSS parameters; undefined if they are malformed. Absent parameters mean the defaults. */
export function pssParameters(parameters: Uint8Array | undefined): PssParameters | undefined {
  if (parameters === undefined) return { hash: SHA1, maskHash: SHA1, saltLength: 20, trailerField: 1 };
  try {
    return readPssParameters(parameters);
  } catch (error) {
    derErrorOf(error);
    return undefined;
  }
}

function readPssParameters(parameters: Uint8Array): PssParameters {
  const field = "RSASSA-PSS parameters";
  const outer = new DerReader(parameters);
  const sequence = outer.enter(TAG.sequence, field);
  outer.finish(field);
  const hash = explicit(sequence, 0, field);
  const mask = explicit(sequence, 1, field);
  const salt = explicit(sequence, 2, field);
  const trailer = explicit(sequence, 3, field);
  sequence.finish(field);
  const maskHash = mask === undefined ? SHA1 : maskHashOf(mask, field);
  return {
    hash: hash === undefined ? SHA1 : algorithmParts(hash, field).oid,
    ...(maskHash === undefined ? {} : { maskHash }),
    saltLength: salt === undefined ? 20 : smallIntegerOf(salt, field),
    trailerField: trailer === undefined ? 1 : smallIntegerOf(trailer, field),
  };
}

function maskHashOf(mask: Element, field: string): string | undefined {
  const { oid, parameters } = algorithmParts(mask, field);
  if (oid !== MGF1 || parameters === undefined) return undefined;
  return algorithmParts(new DerReader(parameters).expect(TAG.sequence, field), field).oid;
}

/** Returns the one element inside `[number] EXPLICIT`, if it comes next. */
function explicit(reader: DerReader, number: number, field: string): Element | undefined {
  const tagged = reader.optional(contextTag(number, true), field);
  if (tagged === undefined) return undefined;
  const inner = readerOf(tagged);
  const element = inner.next(field);
  inner.finish(field);
  return element;
}

function signatureName(oid: string, parameters: Uint8Array | undefined): string {
  if (oid !== KEY_OID.rsaPss) {
    return SIGNATURE_NAMES[oid] ?? SINGLE_OID_ALGORITHMS[oid]?.[0] ?? POST_QUANTUM_NAMES[oid] ?? oid;
  }
  const hash = pssParameters(parameters)?.hash;
  return hash === undefined ? "RSA-PSS" : `RSA-PSS ${HASH_NAMES[hash] ?? hash}`;
}

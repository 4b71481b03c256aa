/** Certification requests for tests. */

import { encodePem } from "../../../src/x509/mod.ts";
import type { Hash, KeyKind } from "./algorithms.ts";
import { bitString, explicit, integer, oid, sequence, set, utf8 } from "./der_writer.ts";
import { extension, type ExtensionInput, subjectAltName } from "./extensions.ts";
import { newKey, type TestKey, testKey } from "./keys.ts";
import { type GeneralNameInput, name, type NameInput } from "./names.ts";

/** Options of a request. */
export interface RequestInput {
  readonly cn?: string;
  readonly subject?: NameInput;
  readonly sans?: readonly GeneralNameInput[];
  /** Further requested extensions. */
  readonly extensions?: readonly ExtensionInput[];
  /** P-256 by default; RSA keys are shared. */
  readonly key?: KeyKind | TestKey;
  readonly hash?: Hash;
  readonly pss?: boolean;
  readonly challengePassword?: string;
  /** DER of further attributes. */
  readonly attributes?: readonly Uint8Array[];
  /** Leaves out the attributes completely, as some tools do. */
  readonly withoutAttributes?: boolean;
  readonly version?: number;
  readonly brokenSignature?: boolean;
}

/** A request made for a test. */
export interface TestRequest {
  readonly der: Uint8Array;
  readonly pem: string;
  readonly key: TestKey;
}

/** Builds and signs a PKCS#10 request. */
export async function buildRequest(input: RequestInput = {}): Promise<TestRequest> {
  const { key: kind = "p256" } = input;
  const key = typeof kind !== "string"
    ? kind
    : await (kind.startsWith("rsa") ? testKey(kind, "request") : newKey(kind));
  const info = sequence(
    integer(input.version ?? 0),
    name(input.subject ?? input.cn ?? "request.example"),
    key.spki,
    ...(input.withoutAttributes ? [] : [explicit(0, ...attributesOf(input))]),
  );
  const { algorithm, signature } = await key.sign(info, {
    ...(input.hash === undefined ? {} : { hash: input.hash }),
    ...(input.pss === undefined ? {} : { pss: input.pss }),
  });
  if (input.brokenSignature) signature[signature.length - 1]! ^= 1;
  const der = sequence(info, algorithm, bitString(signature));
  return testRequest(der, key);
}

/** Wraps DER with the values of a request that tests use. */
export function testRequest(der: Uint8Array, key: TestKey): TestRequest {
  return { der, pem: encodePem(der, "CERTIFICATE REQUEST"), key };
}

/** Returns an attribute with one value. */
export function requestAttribute(type: string, value: Uint8Array): Uint8Array {
  return sequence(oid(type), set(value));
}

function attributesOf(input: RequestInput): Uint8Array[] {
  const extensions = [
    ...(input.sans === undefined ? [] : [subjectAltName(input.sans)]),
    ...input.extensions ?? [],
  ];
  return [
    ...(extensions.length === 0 ? [] : [extensionRequest(extensions)]),
    ...(input.challengePassword === undefined
      ? []
      : [requestAttribute("1.2.840.113549.1.9.7", utf8(input.challengePassword))]),
    ...input.attributes ?? [],
  ];
}

/** Returns the extensionRequest attribute (RFC 2985 §5.4.2). */
export function extensionRequest(extensions: readonly ExtensionInput[]): Uint8Array {
  return requestAttribute("1.2.840.113549.1.9.14", sequence(...extensions.map(extension)));
}

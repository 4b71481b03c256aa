/** Creates keys and signing requests (PKCS#10). Only the command that needs it loads this module. */

import "reflect-metadata";
import {
  type JsonGeneralName,
  Name,
  Pkcs10CertificateRequestGenerator,
  SubjectAlternativeNameExtension,
} from "@peculiar/x509";
import { encodePem, type RequestedName } from "../x509/mod.ts";
import type { KeyType } from "./csr_create.ts";

type Algorithm = EcKeyGenParams & { hash: string } | RsaHashedKeyGenParams | { name: "Ed25519" };

const PUBLIC_EXPONENT = new Uint8Array([1, 0, 1]);

function rsa(modulusLength: number): Algorithm {
  return { name: "RSASSA-PKCS1-v1_5", hash: "SHA-256", modulusLength, publicExponent: PUBLIC_EXPONENT };
}

const ALGORITHMS: Readonly<Record<KeyType, Algorithm>> = {
  "ecdsa-p256": { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" },
  "rsa-2048": rsa(2048),
  "rsa-3072": rsa(3072),
  "ed25519": { name: "Ed25519" },
};

/** The library's names for the kinds of names. */
const KINDS = { dns: "dns", ip: "ip", email: "email", uri: "url" } as const satisfies Record<
  RequestedName["kind"],
  JsonGeneralName["type"]
>;

/** A request and its key, both as PEM. */
export interface BuiltRequest {
  readonly requestPem: string;
  /** PKCS#8, not encrypted. */
  readonly keyPem: string;
}

/** Generates a key and a request that is signed by it. Without names, the request has no extension. */
export async function buildRequest(
  { commonName, names, keyType }: {
    commonName: string;
    names: readonly RequestedName[];
    keyType: KeyType;
  },
): Promise<BuiltRequest> {
  const algorithm = ALGORITHMS[keyType];
  const keys = await crypto.subtle.generateKey(algorithm, true, ["sign", "verify"]) as CryptoKeyPair;
  const request = await Pkcs10CertificateRequestGenerator.create({
    // With an explicit type, because in plain text the library interprets quotes and a leading "#".
    name: new Name([{ CN: [{ utf8String: commonName }] }]),
    keys,
    signingAlgorithm: algorithm,
    extensions: names.length === 0
      ? []
      : [new SubjectAlternativeNameExtension(names.map(({ kind, value }) => ({ type: KINDS[kind], value })))],
  }, crypto);
  const key = await crypto.subtle.exportKey("pkcs8", keys.privateKey);
  return {
    requestPem: encodePem(new Uint8Array(request.rawData), "CERTIFICATE REQUEST"),
    keyPem: encodePem(new Uint8Array(key), "PRIVATE KEY"),
  };
}

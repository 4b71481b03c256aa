/** Extensions for tests, valid or invalid. */

import {
  bitString,
  boolean,
  concat,
  explicit,
  ia5,
  implicit,
  integer,
  namedBits,
  octetString,
  oid,
  sequence,
} from "./der_writer.ts";
import { generalName, type GeneralNameInput } from "./names.ts";

/** One extension: its parts, or the DER of the whole Extension. */
export type ExtensionInput =
  | { readonly oid: string; readonly critical?: boolean; readonly value: Uint8Array }
  | Uint8Array;

/** Returns the DER of an Extension. */
export function extension(input: ExtensionInput): Uint8Array {
  if (input instanceof Uint8Array) return input;
  const flag = input.critical ? [boolean(true)] : [];
  return sequence(oid(input.oid), ...flag, octetString(input.value));
}

const KEY_USAGES = [
  "digitalSignature",
  "nonRepudiation",
  "keyEncipherment",
  "dataEncipherment",
  "keyAgreement",
  "keyCertSign",
  "cRLSign",
  "encipherOnly",
  "decipherOnly",
];
const PURPOSES: Readonly<Record<string, string>> = {
  anyExtendedKeyUsage: "2.5.29.37.0",
  serverAuth: "1.3.6.1.5.5.7.3.1",
  clientAuth: "1.3.6.1.5.5.7.3.2",
  codeSigning: "1.3.6.1.5.5.7.3.3",
  emailProtection: "1.3.6.1.5.5.7.3.4",
  OCSPSigning: "1.3.6.1.5.5.7.3.9",
};

/** OIDs by the names for `without` of a certificate. */
export const EXTENSION_OID = {
  subjectKeyIdentifier: "2.5.29.14",
  keyUsage: "2.5.29.15",
  subjectAltName: "2.5.29.17",
  issuerAltName: "2.5.29.18",
  basicConstraints: "2.5.29.19",
  nameConstraints: "2.5.29.30",
  cRLDistributionPoints: "2.5.29.31",
  certificatePolicies: "2.5.29.32",
  policyMappings: "2.5.29.33",
  authorityKeyIdentifier: "2.5.29.35",
  policyConstraints: "2.5.29.36",
  extKeyUsage: "2.5.29.37",
  inhibitAnyPolicy: "2.5.29.54",
  authorityInfoAccess: "1.3.6.1.5.5.7.1.1",
  tlsFeature: "1.3.6.1.5.5.7.1.24",
  signedCertificateTimestampList: "1.3.6.1.4.1.11129.2.4.2",
  precertificatePoison: "1.3.6.1.4.1.11129.2.4.3",
} as const;
export type ExtensionName = keyof typeof EXTENSION_OID;

/** Returns an extension by name with any content, also a malformed one. */
export function rawExtension(
  name: ExtensionName,
  value: Uint8Array,
  { critical = false }: { critical?: boolean } = {},
): ExtensionInput {
  return { oid: EXTENSION_OID[name], critical, value };
}

export function basicConstraints(
  { ca, pathLength, critical = ca }: { ca: boolean; pathLength?: number; critical?: boolean },
): ExtensionInput {
  const flag = ca ? [boolean(true)] : [];
  const length = pathLength === undefined ? [] : [integer(pathLength)];
  return rawExtension("basicConstraints", sequence(...flag, ...length), { critical });
}

export function keyUsage(usages: readonly string[], { critical = true } = {}): ExtensionInput {
  const bits = usages.map((usage) => KEY_USAGES.indexOf(usage));
  return rawExtension("keyUsage", bits.length === 0 ? bitString(new Uint8Array()) : namedBits(bits), {
    critical,
  });
}

/** Returns extKeyUsage with purposes by name (`serverAuth`) or OID. */
export function extendedKeyUsage(purposes: readonly string[], { critical = false } = {}): ExtensionInput {
  const value = sequence(...purposes.map((purpose) => oid(PURPOSES[purpose] ?? purpose)));
  return rawExtension("extKeyUsage", value, { critical });
}

export function subjectAltName(
  names: readonly GeneralNameInput[],
  { critical = false } = {},
): ExtensionInput {
  return rawExtension("subjectAltName", sequence(...names.map(generalName)), { critical });
}

/** Returns nameConstraints with subtrees as general names: `"example.com"`, `"IP:10.0.0.0/8"`, `"dirName:O=Acme"`. */
export function nameConstraints(
  { permitted = [], excluded = [], critical = true }: {
    permitted?: readonly GeneralNameInput[];
    excluded?: readonly GeneralNameInput[];
    critical?: boolean;
  },
): ExtensionInput {
  const lists = [permitted, excluded].flatMap((names, number) =>
    names.length === 0 ? [] : [explicit(number, ...names.map((name) => sequence(generalName(name))))]
  );
  return rawExtension("nameConstraints", sequence(...lists), { critical });
}

export function subjectKeyIdentifier(keyId: Uint8Array, { critical = false } = {}): ExtensionInput {
  return rawExtension("subjectKeyIdentifier", octetString(keyId), { critical });
}

export function authorityKeyIdentifier(
  { keyId, issuer, serial, critical = false }: {
    keyId?: Uint8Array;
    issuer?: GeneralNameInput;
    serial?: number | bigint | Uint8Array;
    critical?: boolean;
  },
): ExtensionInput {
  const fields = [
    ...(keyId === undefined ? [] : [implicit(0, keyId)]),
    ...(issuer === undefined ? [] : [explicit(1, generalName(issuer))]),
    ...(serial === undefined ? [] : [implicit(2, integer(serial).subarray(2))]),
  ];
  return rawExtension("authorityKeyIdentifier", sequence(...fields), { critical });
}

/** Returns certificatePolicies by OID, each with an optional CPS URI. */
export function certificatePolicies(
  policies: readonly (string | { oid: string; cps: string })[],
  { critical = false } = {},
): ExtensionInput {
  const items = policies.map((policy) =>
    typeof policy === "string" ? sequence(oid(policy)) : sequence(
      oid(policy.oid),
      sequence(sequence(oid("1.3.6.1.5.5.7.2.1"), ia5(policy.cps))),
    )
  );
  return rawExtension("certificatePolicies", sequence(...items), { critical });
}

/** Returns policyMappings as pairs of an issuer's and a subject's policy OID. */
export function policyMappings(
  pairs: readonly (readonly [issuerDomain: string, subjectDomain: string])[],
  { critical = true } = {},
): ExtensionInput {
  const value = sequence(...pairs.map(([issuer, subject]) => sequence(oid(issuer), oid(subject))));
  return rawExtension("policyMappings", value, { critical });
}

export function policyConstraints(
  { requireExplicitPolicy, inhibitPolicyMapping, critical = true }: {
    requireExplicitPolicy?: number;
    inhibitPolicyMapping?: number;
    critical?: boolean;
  },
): ExtensionInput {
  const fields = [requireExplicitPolicy, inhibitPolicyMapping].flatMap((skip, number) =>
    skip === undefined ? [] : [implicit(number, integer(skip).subarray(2))]
  );
  return rawExtension("policyConstraints", sequence(...fields), { critical });
}

export function inhibitAnyPolicy(skip: number, { critical = true } = {}): ExtensionInput {
  return rawExtension("inhibitAnyPolicy", integer(skip), { critical });
}

export function authorityInfoAccess(
  { ocsp = [], caIssuers = [] }: { ocsp?: readonly string[]; caIssuers?: readonly string[] },
): ExtensionInput {
  const entries = [
    ...ocsp.map((url) => sequence(oid("1.3.6.1.5.5.7.48.1"), generalName(`URI:${url}`))),
    ...caIssuers.map((url) => sequence(oid("1.3.6.1.5.5.7.48.2"), generalName(`URI:${url}`))),
  ];
  return rawExtension("authorityInfoAccess", sequence(...entries));
}

export function crlDistributionPoints(urls: readonly string[]): ExtensionInput {
  const points = urls.map((url) => sequence(explicit(0, explicit(0, generalName(`URI:${url}`)))));
  return rawExtension("cRLDistributionPoints", sequence(...points));
}

/** Returns a list of `count` timestamps without meaningful content. */
export function signedTimestamps(count: number): ExtensionInput {
  const item = concat(Uint8Array.of(0, 47), new Uint8Array(47));
  const items = concat(...Array<Uint8Array>(count).fill(item));
  const list = concat(Uint8Array.of(items.length >> 8, items.length & 0xff), items);
  return rawExtension("signedCertificateTimestampList", octetString(list));
}

/** Returns the extension "must staple" (RFC 7633). */
export function mustStaple(): ExtensionInput {
  return rawExtension("tlsFeature", sequence(integer(5)));
}

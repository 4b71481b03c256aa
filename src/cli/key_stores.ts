/**
 * Reads certificates from key stores: PKCS#12 files (`.p12`, `.pfx`), and Java's (JKS and JCEKS, as
 * `sun.security.provider.JavaKeyStore` writes them). Keys are dropped or skipped.
 */

import { Buffer } from "node:buffer";
import { ByteReader, ProbeError } from "../probe/mod.ts";
import { isPkcs12 } from "../x509/mod.ts";
import { FileError } from "./failure.ts";
import { readTextFile } from "./options.ts";

/** The part of node-forge that is used. */
interface Forge {
  readonly asn1: {
    fromDer(bytes: string, strict: boolean): unknown;
    toDer(value: unknown): { getBytes(): string };
  };
  readonly pki: {
    certificateToAsn1(certificate: unknown): unknown;
    readonly oids: { certBag: string };
    readonly pbe: {
      getCipherForPBES2: (oid: string, parameters: unknown, password: string) => unknown;
    };
  };
  readonly util: { encodeUtf8(text: string): string };
  readonly pkcs12: {
    pkcs12FromAsn1(value: unknown, strict: boolean, password: string): {
      getBags(
        query: { bagType: string },
      ): Record<string, readonly SafeBag[] | undefined>;
    };
  };
}

/** A certificate: parsed, or as ASN.1 if the library does not support its type of key. */
interface SafeBag {
  readonly cert: unknown;
  readonly asn1: unknown;
  readonly attributes: { readonly localKeyId?: unknown };
}

/** Returns the passwords of PKCS#12 files, one per line. Errors: {@link FileError}. */
export async function readPasswords(path: string | undefined): Promise<string[]> {
  if (path === undefined) return [];
  return (await readTextFile(path)).split(/\r?\n/).filter((line) => line !== "");
}

/** Returns the DER of the certificates of a key store; undefined for other files. Errors: {@link FileError}. */
export async function certificatesOfStore(
  bytes: Uint8Array,
  passwords: readonly string[],
): Promise<Uint8Array[] | undefined> {
  return isPkcs12(bytes) ? await certificatesOfPkcs12(bytes, passwords) : certificatesOfJavaKeyStore(bytes);
}

/**
 * Returns the DER of the certificates, first those for which the file has a key. Tries an empty password
 * first. Errors: {@link FileError}.
 */
export async function certificatesOfPkcs12(
  bytes: Uint8Array,
  passwords: readonly string[],
): Promise<Uint8Array[]> {
  const { default: forge } = await import("node-forge") as { default: Forge };
  const { asn1, pki, pkcs12 } = forge;
  useUtf8(forge);
  const content = parsed(() => asn1.fromDer(Buffer.from(bytes).toString("binary"), false));
  for (const password of ["", ...passwords]) {
    try {
      const bags = pkcs12.pkcs12FromAsn1(content, false, password).getBags({
        bagType: pki.oids.certBag,
      });
      const found = (bags[pki.oids.certBag] ?? []).toSorted((a, b) =>
        Number(b.attributes.localKeyId !== undefined) -
        Number(a.attributes.localKeyId !== undefined)
      );
      return found.map(({ cert, asn1: unknown }) => {
        const der = asn1.toDer(cert ? pki.certificateToAsn1(cert) : unknown);
        return new Uint8Array(Buffer.from(der.getBytes(), "binary"));
      });
    } catch {
      // Another password may be correct. A malformed file fails with all of them.
    }
  }
  throw new FileError(
    "The PKCS#12 file cannot be read: none of the passwords is correct, or the file is malformed. " +
      "Use --pkcs12-passwords.",
  );
}

/** Whether the library encodes passwords as PBES2 requires. */
let encodes = false;

/**
 * Makes the library encode passwords as UTF-8 for PBES2 (RFC 8018 §3). It takes a byte from each character, which is
 * wrong for others than ASCII.
 */
function useUtf8({ pki: { pbe }, util }: Forge): void {
  if (encodes) return;
  encodes = true;
  const { getCipherForPBES2 } = pbe;
  pbe.getCipherForPBES2 = (oid, parameters, password) =>
    getCipherForPBES2(oid, parameters, util.encodeUtf8(password));
}

function parsed<T>(parse: () => T): T {
  try {
    return parse();
  } catch {
    throw new FileError("The PKCS#12 file is malformed.");
  }
}

/** Kinds of stores by their first bytes. PKCS#12, the newer kind, is none of them. */
const KINDS: ReadonlyMap<string, string> = new Map([["feedfeed", "JKS"], ["cececece", "JCEKS"]]);
const [KEY_ENTRY, CERTIFICATE_ENTRY, SECRET_ENTRY] = [1, 2, 3];
/** Length of the SHA-1 digest at the end, which only the password can verify. */
const DIGEST_BYTES = 20;
/** Maximum number of certificates: many times those of a Java installation. */
const MAX_CERTIFICATES = 10_000;
/** A secret key is a serialized Java object, whose length is not written. */
const SECRET_KEYS =
  "The Java key store (JCEKS) has secret keys, so its other entries cannot be read. Export its " +
  "certificates: keytool -list -rfc -storetype JCEKS -keystore FILE";

/**
 * Returns the DER of the certificates, first those with a key and their chains; undefined for other files. Errors:
 * {@link FileError}.
 */
function certificatesOfJavaKeyStore(bytes: Uint8Array): Uint8Array[] | undefined {
  const kind = KINDS.get(bytes.subarray(0, 4).toHex());
  if (kind === undefined) return undefined;
  try {
    return readEntries(new ByteReader(bytes.subarray(4, -DIGEST_BYTES)));
  } catch (error) {
    if (!(error instanceof ProbeError)) throw error;
    throw new FileError(`The Java key store (${kind}) is malformed.`);
  }
}

function readEntries(reader: ByteReader): Uint8Array[] {
  const chains: Uint8Array[] = [];
  const trusted: Uint8Array[] = [];
  const version = reader.number(4);
  for (let entries = reader.number(4); entries > 0; entries--) {
    const tag = reader.number(4);
    // Its alias and its date.
    reader.vector(2);
    reader.take(8);
    if (tag === SECRET_ENTRY) throw new FileError(SECRET_KEYS);
    if (tag === KEY_ENTRY) reader.vector(4);
    else if (tag !== CERTIFICATE_ENTRY) throw new ProbeError(`Unknown entry ${tag}`);
    for (let count = tag === KEY_ENTRY ? reader.number(4) : 1; count > 0; count--) {
      const type = version === 1 ? "X.509" : new TextDecoder().decode(reader.vector(2));
      if (type !== "X.509") throw new ProbeError(`Unknown type ${type}`);
      (tag === KEY_ENTRY ? chains : trusted).push(reader.vector(4));
      if (chains.length + trusted.length > MAX_CERTIFICATES) {
        throw new FileError(`The key store has more than ${MAX_CERTIFICATES} certificates.`);
      }
    }
  }
  if (version < 1 || version > 2 || reader.left > 0) throw new ProbeError("Another version, or more data");
  return [...chains, ...trusted];
}

/** Reads certificates from PKCS#12 files (`.p12`, `.pfx`) and other key stores. Their keys are dropped when the file is read. */

import { Buffer } from "node:buffer";
import { isPkcs12 } from "../x509/mod.ts";
import { CommandError } from "./failure.ts";
import { certificatesOfJavaKeyStore } from "./java_key_store.ts";
import { readTextFile } from "./read_text.ts";

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

/** Returns the passwords of PKCS#12 files, one per line. Errors: {@link CommandError}. */
export async function readPasswords(path: string | undefined): Promise<string[]> {
  if (path === undefined) return [];
  return (await readTextFile(path)).split(/\r?\n/).filter((line) => line !== "");
}

/** Returns the DER of the certificates of a key store; undefined for other files. Errors: {@link CommandError}. */
export async function certificatesOfStore(
  bytes: Uint8Array,
  passwords: readonly string[],
): Promise<Uint8Array[] | undefined> {
  return isPkcs12(bytes) ? await certificatesOfPkcs12(bytes, passwords) : certificatesOfJavaKeyStore(bytes);
}

/**
 * Returns the DER of the certificates, first those for which the file has a key. Tries an empty password
 * first. Errors: {@link CommandError}.
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
  throw new CommandError(
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
  } catch (error) {
    throw new CommandError("The PKCS#12 file is malformed.", { cause: error });
  }
}

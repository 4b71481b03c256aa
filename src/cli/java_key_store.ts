/**
 * Reads certificates from Java key stores (JKS and JCEKS, as `sun.security.provider.JavaKeyStore` writes them). Keys are
 * skipped, so that no password is needed. The library for it (jks-js) decrypts the keys first.
 */

import { ByteReader, ProbeError } from "../probe/mod.ts";
import { CommandError } from "./failure.ts";

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
 * {@link CommandError}.
 */
export function certificatesOfJavaKeyStore(bytes: Uint8Array): Uint8Array[] | undefined {
  const kind = KINDS.get(bytes.subarray(0, 4).toHex());
  if (kind === undefined) return undefined;
  try {
    return readEntries(new ByteReader(bytes.subarray(4, -DIGEST_BYTES)));
  } catch (error) {
    if (!(error instanceof ProbeError)) throw error;
    throw new CommandError(`The Java key store (${kind}) is malformed.`, { cause: error });
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
    if (tag === SECRET_ENTRY) throw new CommandError(SECRET_KEYS);
    if (tag === KEY_ENTRY) reader.vector(4);
    else if (tag !== CERTIFICATE_ENTRY) throw new ProbeError(`Unknown entry ${tag}`);
    for (let count = tag === KEY_ENTRY ? reader.number(4) : 1; count > 0; count--) {
      const type = version === 1 ? "X.509" : new TextDecoder().decode(reader.vector(2));
      if (type !== "X.509") throw new ProbeError(`Unknown type ${type}`);
      (tag === KEY_ENTRY ? chains : trusted).push(reader.vector(4));
      if (chains.length + trusted.length > MAX_CERTIFICATES) {
        throw new CommandError(`The key store has more than ${MAX_CERTIFICATES} certificates.`);
      }
    }
  }
  if (version < 1 || version > 2 || reader.left > 0) throw new ProbeError("Another version, or more data");
  return [...chains, ...trusted];
}

/**
 * Reads certificates from Java key stores (JKS and JCEKS, as `sun.security.provider.JavaKeyStore` writes them). Keys are
 * skipped, so that no password is needed. The library for it (jks-js) decrypts the keys first.
 */

import { CommandError } from "./failure.ts";

const MAGIC: Readonly<Record<number, string>> = { 0xfeedfeed: "JKS", 0xcececece: "JCEKS" };
const [KEY_ENTRY, CERTIFICATE_ENTRY, SECRET_ENTRY] = [1, 2, 3];
/** Length of the SHA-1 digest at the end, which only the password can verify. */
const DIGEST_BYTES = 20;
/** Maximum number of certificates: many times those of a Java installation. */
const MAX_CERTIFICATES = 10_000;

/** Returns whether a file is a Java key store. PKCS#12, the newer kind, is not. */
export function isJavaKeyStore(bytes: Uint8Array): boolean {
  return bytes.length >= 4 && Object.hasOwn(MAGIC, viewOf(bytes).getUint32(0));
}

/** Returns the DER of the certificates, first those with a key and their chains. Errors: {@link CommandError}. */
export function certificatesOfJavaKeyStore(bytes: Uint8Array): Uint8Array[] {
  const kind = MAGIC[viewOf(bytes).getUint32(0)];
  const reader = new Reader(bytes.subarray(0, Math.max(0, bytes.length - DIGEST_BYTES)));
  const [chains, trusted]: [Uint8Array[], Uint8Array[]] = [[], []];
  try {
    reader.take(4);
    const version = reader.number();
    if (version !== 1 && version !== 2) throw new RangeError(`version ${version}`);
    for (let entries = reader.number(); entries > 0; entries--) {
      const tag = reader.number();
      reader.text(); // its alias
      reader.take(8); // its date
      // A secret key is a serialized Java object, whose length is not written.
      if (tag === SECRET_ENTRY) throw new CommandError(SECRET_KEYS);
      if (tag !== KEY_ENTRY && tag !== CERTIFICATE_ENTRY) throw new RangeError(`entry ${tag}`);
      if (tag === KEY_ENTRY) reader.take(reader.number());
      for (let count = tag === KEY_ENTRY ? reader.number() : 1; count > 0; count--) {
        if (version === 2 && reader.text() !== "X.509") throw new RangeError("type of certificate");
        (tag === KEY_ENTRY ? chains : trusted).push(reader.take(reader.number()));
        if (chains.length + trusted.length > MAX_CERTIFICATES) {
          throw new CommandError(`The key store has more than ${MAX_CERTIFICATES} certificates.`);
        }
      }
    }
    if (!reader.done) throw new RangeError("data after the last entry");
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new CommandError(`The Java key store (${kind}) is malformed.`, { cause: error });
  }
  return [...chains, ...trusted];
}

const SECRET_KEYS =
  "The Java key store (JCEKS) has secret keys, so its other entries cannot be read. Export its " +
  "certificates: keytool -list -rfc -storetype JCEKS -keystore FILE";

function viewOf({ buffer, byteOffset, byteLength }: Uint8Array): DataView {
  return new DataView(buffer, byteOffset, byteLength);
}

/** Reads parts of the store. Throws a RangeError at its end. */
class Reader {
  readonly #bytes: Uint8Array;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  get done(): boolean {
    return this.#at === this.#bytes.length;
  }

  take(length: number): Uint8Array {
    if (length > this.#bytes.length - this.#at) throw new RangeError("The store ends too early");
    return this.#bytes.subarray(this.#at, this.#at += length);
  }

  number(): number {
    return viewOf(this.take(4)).getUint32(0);
  }

  text(): string {
    return new TextDecoder().decode(this.take(viewOf(this.take(2)).getUint16(0)));
  }
}

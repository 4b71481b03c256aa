/** A certification authority for tests. By default its certificates are valid at {@link TEST_NOW}. */

import { createHash } from "node:crypto";
import type { Certificate } from "../../../src/x509/mod.ts";
import type { Hash, KeyKind } from "./algorithms.ts";
import {
  buildCertificate,
  keyIdentifier,
  type TestCertificate,
  testCertificate,
  type TimeInput,
} from "./certificate.ts";
import * as ext from "./extensions.ts";
import { newKey, type Signature, type TestKey, testKey } from "./keys.ts";
import { type GeneralNameInput, name, type NameInput } from "./names.ts";

/** The current time in the tests: certificates without given dates are valid then. */
export const TEST_NOW = Date.UTC(2026, 5, 15, 12, 0, 0);
const CA_NOT_BEFORE = Date.UTC(2020, 0, 1);
const CA_NOT_AFTER = Date.UTC(2039, 11, 31, 23, 59, 59);
const LEAF_NOT_BEFORE = Date.UTC(2026, 4, 1);
const LEAF_NOT_AFTER = Date.UTC(2026, 9, 31, 23, 59, 59);

/** Options of a certificate; all have a sensible default. */
export interface CertificateInput {
  /** Common name: the whole subject unless `subject` is given. */
  readonly cn?: string;
  readonly subject?: NameInput;
  /** `"a.example"`, `"IP:10.0.0.1"`, `"email:a@b.example"`, `"URI:…"`, `"dirName:O=x"`. A leaf with a `cn` that looks like a host name gets that one. */
  readonly sans?: readonly GeneralNameInput[];
  readonly notBefore?: TimeInput;
  readonly notAfter?: TimeInput;
  /**
   * A number, hex text, or exact INTEGER content. By default 16 octets that follow from issuer, subject and a counter.
   */
  readonly serial?: number | bigint | string | Uint8Array;
  /** By default a new P-256 key. RSA keys, which take long to generate, are shared by all leaves of a process. */
  readonly key?: KeyKind | TestKey;
  /** Makes a CA certificate: basicConstraints, keyCertSign. */
  readonly ca?: boolean;
  readonly pathLength?: number;
  readonly keyUsage?: readonly string[];
  readonly extendedKeyUsage?: readonly string[];
  readonly nameConstraints?: {
    permitted?: readonly GeneralNameInput[];
    excluded?: readonly GeneralNameInput[];
    critical?: boolean;
  };
  /** Added after the usual ones, in order; may be malformed, critical or duplicate. */
  readonly extensions?: readonly ext.ExtensionInput[];
  /** Usual extensions that are left out. */
  readonly without?: readonly ext.ExtensionName[];
  /** Versions below 3 have no extensions unless `extensions` has some. */
  readonly version?: 1 | 2 | 3 | 4;
  /** Issuer name instead of that of the CA. */
  readonly issuer?: NameInput;
  /** Key identifier in authorityKeyIdentifier instead of that of the CA. */
  readonly authorityKeyId?: Uint8Array;
  readonly subjectKeyId?: Uint8Array;
  /** SubjectPublicKeyInfo instead of that of the key. */
  readonly spki?: Uint8Array;
  readonly hash?: Hash;
  readonly pss?: boolean;
  /** Flips one bit of the signature. */
  readonly brokenSignature?: boolean;
  /** AlgorithmIdentifiers (DER) instead of the correct ones. */
  readonly innerAlgorithm?: Uint8Array;
  readonly outerAlgorithm?: Uint8Array;
}

/** A CA with its own certificate and key. */
export class TestCa implements TestCertificate {
  readonly #own: TestCertificate;
  #issued = 0;

  private constructor(own: TestCertificate) {
    this.#own = own;
  }

  /** Creates a self-signed root. */
  static async root(input: CertificateInput = {}): Promise<TestCa> {
    const full = { cn: "Test Root", ca: true, ...input };
    return new TestCa(await issue({ input: full, count: 0 }));
  }

  /** Creates a CA from a certificate that this or another CA issued, or with another certificate's key. */
  static of(certificate: TestCertificate): TestCa {
    return new TestCa(certificate);
  }

  /** Creates a self-signed certificate that is not a CA. */
  static selfSigned(input: CertificateInput): Promise<TestCertificate> {
    return issue({ input, count: 0 });
  }

  get der(): Uint8Array {
    return this.#own.der;
  }
  get pem(): string {
    return this.#own.pem;
  }
  get key(): TestKey {
    return this.#own.key;
  }
  get subject(): Uint8Array {
    return this.#own.subject;
  }
  get certificate(): Certificate {
    return this.#own.certificate;
  }

  /** Issues a certificate: a leaf unless `ca` is set. */
  issue(input: CertificateInput = {}): Promise<TestCertificate> {
    return issue({ input, signer: this.#own, count: ++this.#issued });
  }

  /** Issues a subordinate CA. */
  async intermediate(input: CertificateInput = {}): Promise<TestCa> {
    return new TestCa(await this.issue({ cn: "Test Intermediate", ca: true, ...input }));
  }

  /** Issues a certificate for another CA's name and key. */
  async crossSign(other: TestCertificate, input: CertificateInput = {}): Promise<TestCa> {
    return new TestCa(await this.issue({ subject: other.subject, key: other.key, ca: true, ...input }));
  }

  /** Issues many leaves quickly: they share one key. With an `ed25519` CA some thousands per second. */
  async issueMany(count: number, input: (index: number) => CertificateInput): Promise<TestCertificate[]> {
    const key = await testKey("ed25519", "many");
    const issued: TestCertificate[] = [];
    for (let index = 0; index < count; index++) issued.push(await this.issue({ key, ...input(index) }));
    return issued;
  }
}

/** Issues a certificate; without a signer it is self-signed. */
async function issue(
  { input, signer, count }: { input: CertificateInput; signer?: TestCertificate; count: number },
): Promise<TestCertificate> {
  const key = await keyFor(input);
  const subject = input.subject ?? input.cn ?? "Test Leaf";
  const issuer = signer ?? { key, subject: name(subject) };
  const options = {
    ...(input.hash === undefined ? {} : { hash: input.hash }),
    ...(input.pss === undefined ? {} : { pss: input.pss }),
  };
  const der = await buildCertificate({
    version: input.version ?? 3,
    serial: input.serial ?? serialFor(`${count}/${input.cn}`, issuer.key.spki),
    issuer: input.issuer ?? issuer.subject,
    notBefore: input.notBefore ?? (input.ca ? CA_NOT_BEFORE : LEAF_NOT_BEFORE),
    notAfter: input.notAfter ?? (input.ca ? CA_NOT_AFTER : LEAF_NOT_AFTER),
    subject,
    spki: input.spki ?? key.spki,
    extensions: extensionsFor(input, { key, signer: signer?.key }),
    innerAlgorithm: input.innerAlgorithm ?? issuer.key.algorithm(options),
    async sign(tbs): Promise<Signature> {
      const made = await issuer.key.sign(tbs, options);
      if (input.brokenSignature) made.signature[made.signature.length - 1]! ^= 1;
      return { ...made, algorithm: input.outerAlgorithm ?? made.algorithm };
    },
  });
  return testCertificate(der, { key, subject });
}

function keyFor({ key = "p256", ca, cn = "" }: CertificateInput): Promise<TestKey> | TestKey {
  if (typeof key !== "string") return key;
  return key.startsWith("rsa") ? testKey(key, ca ? `ca/${cn}` : "leaf") : newKey(key);
}

/** Returns a positive serial number of 16 octets, the same in every run for the same input. */
function serialFor(seed: string, spki: Uint8Array): Uint8Array {
  const digest = new Uint8Array(createHash("sha256").update(seed).update(spki).digest().subarray(0, 16));
  digest[0] = (digest[0]! & 0x3f) | 0x40;
  return digest;
}

/** Returns the extensions that a public CA would write, without those of `without`, and with those of `extensions`. */
function extensionsFor(
  input: CertificateInput,
  { key, signer }: { key: TestKey; signer: TestKey | undefined },
): ext.ExtensionInput[] {
  const added = input.extensions ?? [];
  if ((input.version ?? 3) < 3) return [...added];
  const { ca = false, pathLength } = input;
  const sans = input.sans ?? (!ca && /^[a-z0-9*-]+(\.[a-z0-9-]+)+$/.test(input.cn ?? "") ? [input.cn!] : []);
  const purposes = input.extendedKeyUsage ?? (ca ? [] : ["serverAuth"]);
  const usual: ext.ExtensionInput[] = [
    ext.basicConstraints({ ca, ...(pathLength === undefined ? {} : { pathLength }) }),
    ext.keyUsage(input.keyUsage ?? (ca ? ["keyCertSign", "cRLSign"] : ["digitalSignature"])),
    ...(purposes.length === 0 ? [] : [ext.extendedKeyUsage(purposes)]),
    ...(sans.length === 0 ? [] : [ext.subjectAltName(sans)]),
    ...(input.nameConstraints === undefined ? [] : [ext.nameConstraints(input.nameConstraints)]),
    ext.subjectKeyIdentifier(input.subjectKeyId ?? keyIdentifier(key.spki)),
    ...(signer === undefined && input.authorityKeyId === undefined ? [] : [
      ext.authorityKeyIdentifier({ keyId: input.authorityKeyId ?? keyIdentifier((signer ?? key).spki) }),
    ]),
  ];
  const left = new Set<string>((input.without ?? []).map((each) => ext.EXTENSION_OID[each]));
  return [...usual.filter((item) => item instanceof Uint8Array || !left.has(item.oid)), ...added];
}

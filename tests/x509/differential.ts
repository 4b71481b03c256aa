/**
 * Compares our parser with OpenSSL and with `@peculiar/x509` for mutated and generated certificates. Every difference
 * has to be of a class with a reason. The long form: `deno task differential --count 10000 --seed 1`.
 */

import { type CertificateReading, encodePem, parseCertificate } from "../../src/x509/mod.ts";
import { opensslResult } from "../support/openssl.ts";
import { derWriter, ext, TestCa, testKey } from "../support/test_ca/mod.ts";
import { corpus, mutate, random } from "./fuzzing.ts";
import { type Opinion, ourOpinion, theirOpinion, UNREADABLE } from "./second_opinion.ts";

/** The corpus has certificates first, then requests and bundles. */
const CORPUS_CERTIFICATES = 5;
/** Certificates per call of OpenSSL. */
const BATCH = 250;
/** One of this number of certificates is generated instead of mutated. */
const GENERATED = 5;
/** Fields that are compared with the library; extensions are compared by another test. */
const LIBRARY_FIELDS = ["serial", "subject", "issuer", "notBefore", "notAfter", "fingerprint", "spki"];

/** A certificate with the results of the three parsers. */
interface Comparison {
  readonly der: Uint8Array<ArrayBuffer>;
  readonly ours: CertificateReading;
  /** The output of OpenSSL; undefined if it does not read the certificate. */
  readonly openssl: Uint8Array | undefined;
  readonly library: Opinion | undefined;
}

/** A difference between the parsers: whether it can be read at all, or a field. */
interface Difference extends Comparison {
  readonly peer: "OpenSSL" | "library";
  readonly field: string;
}

/** A class of differences with its reason. */
interface Reason {
  readonly why: string;
  readonly covers: (one: Difference) => boolean;
}

function has({ ours }: Difference, ...codes: readonly string[]): boolean {
  return ours.findings.some(({ code }) => codes.includes(code));
}

/** Returns whether only the peer reads it, and our message has this form. */
function refusedFor(one: Difference, message: RegExp): boolean {
  return one.field === "readable" && one.ours.certificate === undefined &&
    one.ours.findings.some((finding) => message.test(finding.message));
}

/** Returns whether an attribute of a name is a NumericString. */
function hasNumericString({ ours: { certificate } }: Difference): boolean {
  return certificate !== undefined && /06035504..12/.test(certificate.tbs.toHex());
}

/** Returns whether the parameters of the key or of an algorithm are an OBJECT IDENTIFIER without content. */
function hasEmptyParameter({ ours: { certificate } }: Difference): boolean {
  return [certificate?.publicKey, certificate?.signatureAlgorithm, certificate?.tbsSignatureAlgorithm]
    .some((one) => one?.parameters?.toHex() === "0600");
}

function onlyOurs(one: Difference, peer: Difference["peer"]): boolean {
  return one.field === "readable" && one.peer === peer && one.ours.certificate !== undefined;
}

/** Every class, the most specific first. */
export const REASONS: readonly Reason[] = [
  {
    why: "both peers ignore what follows the certificate; here it would be lost, or hide something",
    covers: (one) => refusedFor(one, /bytes follow the certificate/),
  },
  {
    why: "OpenSSL keeps a date as text, and the library makes another date of an impossible one",
    covers: (one) => refusedFor(one, /is not a (?:UTCTime|GeneralizedTime) of the form/),
  },
  {
    why: "both peers read lengths that are not minimal or indefinite, which are not DER",
    covers: (one) => refusedFor(one, /has a length that is not minimal|has an indefinite length/),
  },
  {
    why: "OpenSSL clears unused bits that are set, and the library keeps them; Go refuses them",
    covers: (one) => refusedFor(one, /has unused bits that are not 0|is not a DER BIT STRING/),
  },
  {
    why: "OpenSSL reads any number as version; Go refuses versions above 3",
    covers: (one) => refusedFor(one, /^The version is|^version /),
  },
  {
    why: "the library skips what does not match its schema, or takes it for something optional",
    covers: (one) =>
      one.peer === "library" &&
      refusedFor(
        one,
        /has tag|is missing|unexpected bytes at its end|is longer than the input|is cut off|is not an OBJECT IDENTIFIER|without content|a NULL with content|tag number above 30/,
      ),
  },
  {
    why: "extensions are read one by one here; the peers refuse a certificate with a broken frame of one",
    covers: (one) =>
      (onlyOurs(one, "OpenSSL") || onlyOurs(one, "library")) &&
      has(one, "malformed_extension", "empty_extensions"),
  },
  {
    why: "OpenSSL converts every name, and the library every string, and both refuse bytes that are no text",
    covers: (one) => (onlyOurs(one, "OpenSSL") || onlyOurs(one, "library")) && has(one, "odd_name"),
  },
  {
    why:
      "keys and algorithms are read on their own here; OpenSSL refuses a certificate for an impossible OID in them",
    covers: (one) =>
      onlyOurs(one, "OpenSSL") &&
      (has(one, "malformed_key", "malformed_algorithm") || hasEmptyParameter(one)),
  },
  {
    why: "OpenSSL reads a relative name without the bit for constructed values; Go refuses it",
    covers: (one) => one.peer === "OpenSSL" && refusedFor(one, /relative name has tag 0x11 instead of 0x31/),
  },
  {
    why: "the library refuses parameters and values that OpenSSL does not look into either",
    covers: (one) => onlyOurs(one, "library") && one.openssl !== undefined,
  },
  {
    why: "a serial number that is not in its shortest form is an error to OpenSSL, a finding here",
    covers: (one) => onlyOurs(one, "OpenSSL") && has(one, "not_der"),
  },
  {
    why:
      "the library reads the parameters of algorithms and keys with the certificate, and refuses malformed ones",
    covers: (one) => onlyOurs(one, "library") && has(one, "malformed_algorithm", "malformed_key"),
  },
  {
    why: "OpenSSL writes the outer algorithm and the signature anew, in DER",
    covers: (one) => one.field === "bytes",
  },
  {
    why: "the library throws for a key that it cannot use, and writes others anew",
    covers: (one) => one.field === "spki" && (one.library?.spki === UNREADABLE || has(one, "malformed_key")),
  },
  {
    why:
      "the library knows no NumericString, and shows the bytes of other texts whatever they are; controls are escaped here",
    covers: (one) =>
      (one.field === "subject" || one.field === "issuer") &&
      (has(one, "odd_name", "empty_rdn") || hasNumericString(one) ||
        one.ours.certificate?.[one.field].text.includes("\\u{") === true),
  },
  {
    why:
      "the library shows negative numbers, and those not in their shortest form, without their first octets",
    covers: (one) => one.field === "serial" && has(one, "negative_serial", "not_der"),
  },
  {
    why: "the library reads years below 100 and dates with an offset or without seconds in its own way",
    covers: (one) =>
      (one.field === "notBefore" || one.field === "notAfter") &&
      has(one, "time_form", "time_encoding", "year_zero"),
  },
];

/** Counts by reason, and differences without one. */
export interface Outcome {
  readonly compared: number;
  /** Certificates that all three read. */
  readonly readByAll: number;
  readonly classes: ReadonlyMap<Reason, number>;
  readonly unexplained: readonly string[];
}

/** Compares this number of certificates. Mutations follow from the seed, but keys are new each time. */
export async function compareReaders({ count, seed }: { count: number; seed: number }): Promise<Outcome> {
  const next = random(seed);
  const inputs = await corpus();
  const generate = await generator(next);
  const classes = new Map<Reason, number>();
  const unexplained: string[] = [];
  let readByAll = 0;
  for (let done = 0; done < count; done += BATCH) {
    const ders: Uint8Array<ArrayBuffer>[] = [];
    for (let index = 0; index < Math.min(BATCH, count - done); index++) {
      ders.push(
        next(GENERATED) === 0
          ? Uint8Array.from(await generate())
          : mutate(inputs[next(CORPUS_CERTIFICATES)]!, { next, others: inputs }),
      );
    }
    for (const one of await compare(ders)) {
      if (one.ours.certificate !== undefined && one.openssl !== undefined && one.library !== undefined) {
        readByAll++;
      }
      for (const difference of differencesOf(one)) {
        const reason = REASONS.find(({ covers }) => covers(difference));
        if (reason === undefined) unexplained.push(describe(difference));
        else classes.set(reason, (classes.get(reason) ?? 0) + 1);
      }
    }
  }
  return { compared: count, readByAll, classes, unexplained };
}

/** Creates valid certificates of many kinds. */
async function generator(next: (limit: number) => number): Promise<() => Promise<Uint8Array>> {
  const keys = await Promise.all((["ed25519", "p256", "p384"] as const).map((kind) => testKey(kind)));
  const root = await TestCa.root({ cn: "Root", key: keys[0]! });
  const names = [
    "a.example",
    "*.b.example",
    "IP:10.0.0.1",
    "IP:2001:db8::1",
    "email:x@a.example",
    "URI:https://a/",
  ];
  const usages = ["digitalSignature", "keyEncipherment", "cRLSign", "decipherOnly"];
  const pick = <T>(items: readonly T[]): T[] => items.filter(() => next(2) === 0);
  const moment = (): number =>
    Date.UTC(1950 + next(200), next(12), 1 + next(28), next(24), next(60), next(60));
  return async () => {
    const [notBefore, notAfter] = [moment(), moment()].sort((a, b) => a - b);
    const subject = [["C", "DE"], ["O", "Ünï ©"], ["OU", 'x, "y" + z'], ["CN", "a.example"]] as const;
    const leaf = await root.issue({
      subject: pick(subject),
      key: keys[next(keys.length)]!,
      serial: derWriter.integer(next(2 ** 30)).subarray(2),
      notBefore: notBefore!,
      notAfter: notAfter!,
      sans: pick(names),
      keyUsage: pick(usages),
      extendedKeyUsage: ["serverAuth"],
      extensions: pick([
        ext.certificatePolicies(["1.2.3", "2.23.140.1.2.1"]),
        ext.crlDistributionPoints(["http://l"]),
        ext.mustStaple(),
        { oid: `1.2.3.${next(1_000_000)}`, critical: next(2) === 0, value: new Uint8Array(next(50)) },
      ]),
    });
    return leaf.der;
  };
}

async function compare(ders: readonly Uint8Array<ArrayBuffer>[]): Promise<Comparison[]> {
  const written = await opensslReads(ders);
  return ders.map((der, index) => ({
    der,
    ours: parseCertificate(der),
    openssl: written[index],
    library: theirOpinion(der),
  }));
}

/**
 * Reads many certificates with one call: `storeutl` continues after an error, and a known certificate between any two
 * shows which of them it has read.
 */
async function opensslReads(ders: readonly Uint8Array[]): Promise<(Uint8Array | undefined)[]> {
  const marker = (await TestCa.selfSigned({ cn: "marker", key: "ed25519" })).der;
  const file = await Deno.makeTempFile({ suffix: ".pem" });
  try {
    const all = [marker, ...ders.flatMap((der) => [der, marker])];
    await Deno.writeTextFile(file, all.map((der) => encodePem(der)).join(""));
    const { stdout } = await opensslResult(["storeutl", "-certs", file]);
    const text = new TextDecoder().decode(stdout);
    const read = [...text.matchAll(/-----BEGIN CERTIFICATE-----([^-]+)-----END/g)].map(([, base64]) =>
      Uint8Array.fromBase64(base64!)
    );
    const written: (Uint8Array | undefined)[] = [];
    let last: Uint8Array | undefined;
    for (const der of read.slice(1)) {
      if (der.toHex() !== marker.toHex()) last = der;
      else {
        written.push(last);
        last = undefined;
      }
    }
    if (written.length !== ders.length) {
      throw new Error(`OpenSSL answered ${written.length} of ${ders.length}`);
    }
    return written;
  } finally {
    await Deno.remove(file);
  }
}

function differencesOf(one: Comparison): Difference[] {
  const { ours, openssl, library, der } = one;
  const read = ours.certificate !== undefined;
  const found: Difference[] = [];
  if (read !== (openssl !== undefined)) found.push({ ...one, peer: "OpenSSL", field: "readable" });
  if (read !== (library !== undefined)) found.push({ ...one, peer: "library", field: "readable" });
  if (read && openssl !== undefined && openssl.toHex() !== der.toHex()) {
    found.push({ ...one, peer: "OpenSSL", field: "bytes" });
  }
  if (!read || library === undefined) return found;
  const own = ourOpinion(ours.certificate!);
  for (const field of LIBRARY_FIELDS) {
    if (JSON.stringify(own[field]) !== JSON.stringify(library[field])) {
      found.push({ ...one, peer: "library", field });
    }
  }
  return found;
}

function describe({ peer, field, ours, openssl, library, der }: Difference): string {
  const findings = ours.findings.map(({ code, message }) => `${code} (${message})`).join(", ") ||
    "no findings";
  const readers = [["we", ours.certificate], ["OpenSSL", openssl], ["the library", library]] as const;
  const read = readers.filter(([, value]) => value !== undefined).map(([name]) => name).join(", ") ||
    "nobody";
  return `${peer}, ${field}: read by ${read}; ${findings}: ${der.toHex()}`;
}

function option(name: string, fallback: number): number {
  const at = Deno.args.indexOf(`--${name}`);
  return at === -1 ? fallback : Number(Deno.args[at + 1]);
}

if (import.meta.main) {
  const outcome = await compareReaders({ count: option("count", 10_000), seed: option("seed", 1) });
  console.log(`${outcome.compared} certificates, ${outcome.readByAll} of them read by all three`);
  for (const reason of REASONS) console.log(String(outcome.classes.get(reason) ?? 0).padStart(6), reason.why);
  for (const one of outcome.unexplained.slice(0, 20)) console.log(one);
  console.log(`${outcome.unexplained.length} differences without a reason`);
  if (outcome.unexplained.length > 0) Deno.exit(1);
}

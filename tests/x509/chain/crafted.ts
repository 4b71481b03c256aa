/** Chains of up to 100 certificates that are made to take as long as possible to validate. */

import { generateKeyPairSync, type KeyObject } from "node:crypto";
import {
  derWriter,
  ext,
  type GeneralNameInput,
  type KeyKind,
  newKey,
  TestCa,
  type TestCertificate,
} from "../../support/test_ca/mod.ts";

const { oid, sequence } = derWriter;
const NO_KEY_IDS = { without: ["subjectKeyIdentifier", "authorityKeyIdentifier"] } as const;

/** A leaf, and the pool in which its issuers are searched. */
export interface CraftedChain {
  readonly leaf: TestCertificate;
  readonly pool: readonly TestCertificate[];
}

/** Returns CAs with the same name and different keys, none of which signed the leaf. */
export async function twins(count: number, kind: KeyKind): Promise<CraftedChain> {
  const absent = await TestCa.root({ cn: "Twin", key: kind, ...NO_KEY_IDS });
  const pool: TestCertificate[] = [];
  for (let index = 0; index < count; index++) {
    pool.push(await absent.issue({ subject: "Twin", key: await newKey(kind), ca: true, ...NO_KEY_IDS }));
  }
  return { leaf: await absent.issue({ cn: "a.example", ...NO_KEY_IDS }), pool };
}

/** Returns such CAs with an algorithm that WebCrypto lacks, so that each check runs on this thread. */
async function slowTwins(
  kind: KeyKind,
  { algorithm, key }: { algorithm: string; key?: () => KeyObject },
): Promise<CraftedChain> {
  const identifier = sequence(oid(algorithm));
  const slow = { innerAlgorithm: identifier, outerAlgorithm: identifier, ...NO_KEY_IDS };
  const absent = await TestCa.root({ cn: "Twin", key: kind, ...NO_KEY_IDS });
  const pool: TestCertificate[] = [];
  for (let index = 0; index < 100; index++) {
    const spki = key === undefined ? {} : {
      spki: new Uint8Array(key().export({ type: "spki", format: "der" })),
    };
    pool.push(
      await absent.issue({ subject: "Twin", key: await newKey(kind), ca: true, ...spki, ...NO_KEY_IDS }),
    );
  }
  return { leaf: await absent.issue({ cn: "a.example", ...slow }), pool };
}

/** Returns CAs that all certify each other, without a root. */
export async function meshed(count: number): Promise<CraftedChain> {
  const cas: TestCa[] = [];
  for (let index = 0; index < count; index++) cas.push(await TestCa.root({ cn: `CA ${index}` }));
  const pool: TestCertificate[] = [];
  for (const a of cas) for (const b of cas) if (a !== b) pool.push(await a.crossSign(b));
  return { leaf: await cas[0]!.issue({ cn: "a.example" }), pool };
}

/** Returns cross-signed CAs below one root, each with many policies that map to each other, and no acceptable path. */
async function policyMesh(count: number): Promise<CraftedChain> {
  const oids = Array.from({ length: 400 }, (_, index) => `1.3.9999.${index}`);
  const extensions = [
    ext.certificatePolicies(oids),
    ext.policyMappings(oids.map((oid, index) => [oid, oids[(index + 1) % oids.length]!] as const)),
    ext.policyConstraints({ requireExplicitPolicy: 0 }),
  ];
  const root = await TestCa.root({ key: "ed25519" });
  const cas: TestCa[] = [];
  for (let index = 0; index < count; index++) {
    cas.push(await root.intermediate({ cn: `CA ${index}`, key: "ed25519", extensions }));
  }
  const pool: TestCertificate[] = [root, ...cas];
  for (const a of cas) for (const b of cas) if (a !== b) pool.push(await a.crossSign(b, { extensions }));
  return { leaf: await cas[0]!.issue({ cn: "a.example" }), pool };
}

/** Chains by their description. */
export const CRAFTED: Readonly<Record<string, () => Promise<CraftedChain>>> = {
  "9 cross-signed CAs with 400 policies and mappings each": () => policyMesh(9),
  "100 issuers of the same name with P-256 keys": () => twins(100, "p256"),
  "100 issuers of the same name with P-384 keys": () => twins(100, "p384"),
  "100 issuers of the same name with P-521 keys": () => twins(100, "p521"),
  "100 issuers of the same name with ML-DSA-87 keys": () => twins(100, "mldsa87"),
  "100 issuers of the same name with Ed448 keys": () =>
    slowTwins("ed25519", { algorithm: "1.3.101.113", key: () => generateKeyPairSync("ed448").publicKey }),
  "100 issuers of the same name with P-224 keys": () =>
    slowTwins("p256", {
      algorithm: "1.2.840.10045.4.3.2",
      key: () => generateKeyPairSync("ec", { namedCurve: "P-224" }).publicKey,
    }),
  "100 issuers of the same name with P-384 keys and SHA-3": () =>
    slowTwins("p384", { algorithm: "2.16.840.1.101.3.4.3.12" }),
  "authorities that all certify each other": () => meshed(10),
  "thousands of excluded DNS names": () =>
    constrained((index) => `h${index}.example`, (index) => `x${index}.example`),
  "thousands of wildcards": () =>
    constrained((index) => `*.h${index}.example`, (index) => `x.x${index}.example`),
  "thousands of excluded mailboxes": () =>
    constrained((index) => `email:a${index}@b.example`, (index) => `email:x${index}@b.example`),
  "names of 30,000 characters": () => longNames(),
};

/** Returns a chain with eight levels of constraints on many names each. */
async function constrained(
  name: (index: number) => GeneralNameInput,
  constraint: (index: number) => GeneralNameInput,
): Promise<CraftedChain> {
  const many = (make: (index: number) => GeneralNameInput): GeneralNameInput[] =>
    Array.from({ length: 900 }, (_, index) => make(index));
  let top = await TestCa.root();
  const pool: TestCertificate[] = [top];
  for (let level = 0; level < 8; level++) {
    top = await top.intermediate({
      cn: `CA ${level}`,
      nameConstraints: { excluded: many(constraint) },
      sans: many(name),
    });
    pool.push(top);
  }
  return { leaf: await top.issue({ cn: "a.example", sans: many(name) }), pool };
}

async function longNames(): Promise<CraftedChain> {
  let top = await TestCa.root({ cn: "x".repeat(4_000) });
  const pool: TestCertificate[] = [top];
  for (let level = 0; level < 9; level++) {
    top = await top.intermediate({ cn: `${"x".repeat(4_000)}${level}` });
    pool.push(top);
  }
  return { leaf: await top.issue({ cn: "a.example" }), pool };
}

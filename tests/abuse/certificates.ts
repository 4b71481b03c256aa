/** Certificates that are slow to read or to verify. */

import { MAX_PEM_TEXT_BYTES } from "../../src/base/limits.ts";
import { openssl } from "../support/openssl.ts";
import { TestCa } from "../support/test_ca/mod.ts";
import { CRAFTED } from "../x509/chain/crafted.ts";

/** Marks of two bytes each, which Unicode normalization has to sort. */
const MARKS = "\u0316\u0301";
/** Pairs of marks in one name: with them a certificate is just below the limit of 64 KiB. */
const PAIRS = 15_500;

/** Returns PEM of certificates of almost 64 KiB, each with a name of one letter and many combining marks. */
export async function markedCertificates(count: number): Promise<string[]> {
  const ca = await TestCa.root({ cn: "Root of marks" });
  return await Promise.all(Array.from({ length: count }, async (_, index) => {
    const subject = [["O", `a${MARKS.repeat(PAIRS)}`], [
      "CN",
      `marks-${index}.example`,
    ]] as const;
    return (await ca.issue({ subject })).pem;
  }));
}

/** Returns PEM of usual certificates with different names. */
export async function usualCertificates(
  count: number,
  prefix: string,
): Promise<string[]> {
  const ca = await TestCa.root({ cn: "Root of the usual" });
  return await Promise.all(Array.from(
    { length: count },
    async (_, index) => (await ca.issue({ cn: `${prefix}-${index}.example` })).pem,
  ));
}

/** Options of `openssl genpkey` for keys that few certificates have. */
const KINDS = {
  ed448: ["-algorithm", "ed448"],
  dsa: ["-algorithm", "DSA", "-pkeyopt", "dsa_paramgen_bits:1024"],
  p224: ["-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-224"],
} as const;
/** Number of authorities with the same name, so that each may be the issuer. */
const NAMESAKES = 6;

/** A certificate, and the authorities that may have issued it. */
export interface SlowCertificate {
  readonly pem: string;
  readonly chain: string;
}

/** Creates certificates with signature algorithms that WebCrypto lacks. Needs openssl. */
export async function slowCertificates(
  count: number,
): Promise<SlowCertificate[]> {
  const folder = await Deno.makeTempDir({ prefix: "certmgr-abuse-" });
  try {
    const made: SlowCertificate[] = [];
    const kinds = Object.keys(KINDS) as (keyof typeof KINDS)[];
    for (const [index, kind] of kinds.entries()) {
      const share = Math.floor(
        (count + kinds.length - 1 - index) / kinds.length,
      );
      made.push(...await issueSlow(folder, { kind, count: share }));
    }
    return made;
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

/** Creates chains whose validation takes as long as possible, and which can be stored. */
export async function craftedCertificates(): Promise<SlowCertificate[]> {
  const made: SlowCertificate[] = [];
  for (const make of Object.values(CRAFTED)) {
    const { leaf, pool } = await make();
    const chain = pool.map(({ pem }) => pem).join("");
    if (chain.length <= MAX_PEM_TEXT_BYTES) made.push({ pem: leaf.pem, chain });
  }
  return made;
}

async function issueSlow(
  folder: string,
  { kind, count }: { kind: keyof typeof KINDS; count: number },
): Promise<SlowCertificate[]> {
  const file = (name: string): string => `${folder}/${kind}-${name}`;
  const chain: string[] = [];
  const config = `${folder}/openssl.cnf`;
  await Deno.writeTextFile(
    config,
    "[req]\ndistinguished_name = dn\n[dn]\n[ca]\nbasicConstraints = CA:TRUE\n",
  );
  const parameters = kind === "dsa" ? await dsaParameters(file("parameters")) : [...KINDS[kind]];
  for (let index = 0; index < NAMESAKES; index++) {
    const key = file(`ca-${index}.key`);
    await openssl(["genpkey", ...parameters, "-out", key]);
    const subject = [
      "-subj",
      `/CN=Slow ${kind}`,
      "-days",
      "3650",
      "-set_serial",
      String(index + 1),
    ];
    chain.push(
      await openssl([
        "req",
        "-x509",
        "-new",
        "-config",
        config,
        "-extensions",
        "ca",
        "-key",
        key,
        ...subject,
      ]),
    );
  }
  await Deno.writeTextFile(file("ca.pem"), chain.at(-1) as string);
  const request = file("leaf.csr");
  await openssl([
    "req",
    "-new",
    "-config",
    config,
    "-key",
    file("ca-0.key"),
    "-subj",
    `/CN=${kind}.example`,
    "-out",
    request,
  ]);
  const issuer = [
    "-CA",
    file("ca.pem"),
    "-CAkey",
    file(`ca-${NAMESAKES - 1}.key`),
    "-days",
    "365",
  ];
  const leaves = await Promise.all(Array.from(
    { length: count },
    (_, index) =>
      openssl([
        "x509",
        "-req",
        "-in",
        request,
        ...issuer,
        "-set_serial",
        String(1_000 + index),
      ]),
  ));
  return leaves.map((pem) => ({ pem, chain: chain.join("") }));
}

/** Creates DSA parameters. Keys share them, because they take long to generate. */
async function dsaParameters(path: string): Promise<string[]> {
  await openssl(["genpkey", "-genparam", ...KINDS.dsa, "-out", path]);
  return ["-paramfile", path];
}

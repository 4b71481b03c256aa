/** Java key stores and PKCS#12 truststores: the command line and the agent read their certificates, never their keys. */

import assert from "node:assert/strict";
import { filesReport } from "../../src/cli/agent_sources.ts";
import { readTexts } from "../../src/cli/certificate_files.ts";
import { certificatesOfStore } from "../../src/cli/key_stores.ts";
import { TestCa } from "../support/test_ca/mod.ts";
import { certmgr, testFolder } from "./process.ts";

const FILES = new URL("../data/files/", import.meta.url);
const root = await TestCa.root({ cn: "Store Root" });
const leaf = await root.issue({ cn: "store.example" });
/** Bytes of a key, as a store encrypts it. */
const KEY = new Uint8Array(200).fill(0x5a);

type Part = Uint8Array | string | number;
type Store = { magic?: number; version?: number; entries: readonly (readonly Part[])[]; count?: number };

/** Joins parts as Java's DataOutputStream writes them: numbers of four bytes, texts and bytes with their lengths. */
function written(parts: readonly Part[]): Uint8Array {
  const bytes = parts.flatMap((part) => {
    if (typeof part === "number") return [...new Uint8Array(new Uint32Array([part]).buffer).reverse()];
    const text = typeof part === "string" ? new TextEncoder().encode(part) : part;
    const length = new Uint8Array(new Uint32Array([text.length]).buffer).reverse();
    return [...typeof part === "string" ? length.subarray(2) : length, ...text];
  });
  return new Uint8Array(bytes);
}

function store({ magic = 0xfeedfeed, version = 2, entries, count = entries.length }: Store): Uint8Array {
  return new Uint8Array([...written([magic, version, count, ...entries.flat()]), ...new Uint8Array(20)]);
}

/** An alias and a date. */
const NAMED = ["alias", 0, 0] as const;
const trusted = (der: Uint8Array, type = "X.509"): Part[] => [2, ...NAMED, type, der];
const keyed = (...chain: readonly Uint8Array[]): Part[] => [
  1,
  ...NAMED,
  KEY,
  chain.length,
  ...chain.flatMap((der) => ["X.509", der]),
];

const READ: readonly [title: string, store: Store, expected: readonly Uint8Array[]][] = [
  ["a JKS truststore", { entries: [trusted(root.der), trusted(leaf.der)] }, [root.der, leaf.der]],
  ["a JCEKS truststore", { magic: 0xcececece, entries: [trusted(root.der)] }, [root.der]],
  ["a store of version 1", { version: 1, entries: [[2, ...NAMED, root.der]] }, [root.der]],
  ["a key with its chain after a trusted certificate", {
    entries: [trusted(root.der), keyed(leaf.der, root.der)],
  }, [leaf.der, root.der, root.der]],
  ["an empty store", { entries: [] }, []],
];
for (const [title, content, expected] of READ) {
  Deno.test(`the certificates of ${title} are read, those of keys first`, async () => {
    const found = await certificatesOfStore(store(content), []);
    assert.deepEqual(found?.map((der) => der.toHex()), expected.map((der) => der.toHex()));
  });
}

const MALFORMED: readonly [title: string, content: Store, message: RegExp][] = [
  ["fewer entries than it says", { entries: [trusted(root.der)], count: 2 }, /JKS\) is malformed/],
  [
    "more entries than it says",
    { entries: [trusted(root.der), trusted(leaf.der)], count: 1 },
    /is malformed/,
  ],
  ["a billion entries", { entries: [], count: 0xffffffff }, /is malformed/],
  ["an unknown version", { version: 3, entries: [] }, /is malformed/],
  ["an unknown entry", { entries: [[7, ...NAMED]] }, /is malformed/],
  ["a certificate of another type", { entries: [trusted(root.der, "PGP")] }, /is malformed/],
  ["a certificate of four gigabytes", { entries: [[2, ...NAMED, "X.509", 0xffffffff]] }, /is malformed/],
  ["too many certificates", {
    entries: Array.from({ length: 10_001 }, () => trusted(new Uint8Array(1))),
  }, /more than 10000 certificates/],
  ["secret keys", { magic: 0xcececece, entries: [[3, ...NAMED, 1]] }, /has secret keys.*keytool -list -rfc/],
];
for (const [title, content, message] of MALFORMED) {
  Deno.test(`a key store with ${title} is refused`, async () => {
    await assert.rejects(certificatesOfStore(store(content), []), { name: "CommandError", message });
  });
}

Deno.test("every beginning of a key store is refused or is another file, in no time", async () => {
  const whole = store({ entries: [keyed(leaf.der, root.der), trusted(root.der)] });
  const start = performance.now();
  for (let length = 0; length < whole.length; length++) {
    const found = await certificatesOfStore(whole.slice(0, length), []).catch((error) => error.name);
    assert.equal(found, length < 4 ? undefined : "CommandError");
  }
  assert(performance.now() - start < 2_000);
});

Deno.test("the import sends the certificates of key stores, each once, and never a key", async () => {
  await using folder = await testFolder();
  const path = `${folder.path}/store`;
  await Deno.writeFile(path, store({ entries: [keyed(leaf.der, root.der), trusted(root.der)] }));
  const text = (await readTexts(path, [])).join("");
  assert.equal(text.replace(/\s/g, ""), (leaf.pem + root.pem).replace(/\s/g, ""));
  await Deno.writeFile(path, store({ entries: [] }));
  await assert.rejects(readTexts(path, []), { message: "The key store has no certificates." });
});

const STORES = [
  ["jks.jks", "www12.bugs.example"],
  ["truststore-p12.p12", "www12.bugs.example"],
  ["umlaut-aes.p12", "www4.bugs.example"],
] as const;
Deno.test("certmgr import and an agent read key stores of keytool and OpenSSL", async () => {
  await using folder = await testFolder();
  const passwords = `${folder.path}/passwords`;
  await Deno.writeTextFile(passwords, "changeit\npässwört\n");
  const paths = STORES.map(([name]) => new URL(name, FILES).pathname);
  const { certificates, problems } = await filesReport(paths, ["changeit", "pässwört"]);
  assert.deepEqual([certificates.map(({ location }) => location), problems], [paths, []]);
  const env = { CERTMGR_DATABASE_URL: `file:${folder.path}/certmgr.db` };
  const { stdout, stderr } = await certmgr(
    ["import", "--json", "--pkcs12-passwords", passwords, ...paths],
    { env },
  );
  assert.equal(stderr, "");
  const { results } = JSON.parse(stdout);
  for (const [index, [, name]] of STORES.entries()) {
    const { created, skipped, errors } = results[index];
    assert.deepEqual(errors, []);
    assert(
      [...created, ...skipped].some((one: { common_name: string }) => one.common_name === name),
      JSON.stringify(results[index]),
    );
  }
  const without = await certmgr(["import", "--json", paths[1] as string], { env });
  assert.match(JSON.parse(without.stdout).results[0].errors[0], /none of the passwords.*--pkcs12-passwords/);
});

/** Certificates of PKCS#12 files: what is read, and that no key leaves the agent's machine. */

import assert from "node:assert/strict";
import { certificatesOfPkcs12 } from "../../src/cli/key_stores.ts";
import { isPkcs12 } from "../../src/x509/mod.ts";
import { opensslBytes } from "../support/openssl.ts";
import { TestCa, type TestCertificate } from "../support/test_ca/mod.ts";
import { certmgr, testFolder } from "./process.ts";

const root = await TestCa.root({ cn: "PKCS12 Root", key: "rsa2048" });
const rsa = await root.issue({ cn: "rsa.example", key: "rsa2048" });
const ec = await root.issue({ cn: "ec.example" });

/** Returns a file as openssl writes it. */
function exported(
  leaf: TestCertificate,
  ...args: readonly string[]
): Promise<Uint8Array> {
  const bundle = leaf.key.privateKeyPem + leaf.pem + root.pem;
  return opensslBytes(["pkcs12", "-export", ...args], bundle);
}

const SECRET = ["-passout", "pass:secret"];

for (
  const [what, leaf, args, passwords] of [
    ["with AES and SHA-256", rsa, SECRET, ["secret"]],
    ["with RC2 and 3DES, as old tools write it", rsa, ["-legacy", ...SECRET], [
      "secret",
    ]],
    ["with an elliptic key", ec, SECRET, ["secret"]],
    ["with an empty password", rsa, ["-passout", "pass:"], []],
    ["without encryption", rsa, [
      "-keypbe",
      "NONE",
      "-certpbe",
      "NONE",
      "-passout",
      "pass:",
    ], []],
    ["with the second of two passwords", rsa, SECRET, ["other", "secret"]],
    ["with AES and an umlaut in the password", rsa, ["-passout", "pass:p\u00e4ssw\u00f6rt"], [
      "p\u00e4ssw\u00f6rt",
    ]],
    ["with AES and a password in Greek", rsa, ["-passout", "pass:\u03ba\u03bb\u03b5"], [
      "\u03ba\u03bb\u03b5",
    ]],
  ] as const
) {
  Deno.test(`a PKCS#12 file ${what}: its certificates are read unchanged, the one of the key first`, async () => {
    const file = await exported(leaf, ...args);
    assert.ok(isPkcs12(file));
    const found = await certificatesOfPkcs12(file, passwords);
    assert.deepEqual(found.map((der) => der.toHex()), [
      leaf.der.toHex(),
      root.der.toHex(),
    ]);
  });
}

Deno.test("a PKCS#12 file whose password is not given, and a malformed one, are errors", async () => {
  const file = await exported(rsa, ...SECRET);
  await assert.rejects(
    certificatesOfPkcs12(file, ["wrong"]),
    /none of the passwords is correct, or the file is malformed/,
  );
  await assert.rejects(
    certificatesOfPkcs12(file.slice(0, 200), ["secret"]),
    /malformed/,
  );
});

Deno.test("certificates and PKCS#7 are not mistaken for PKCS#12", () => {
  for (const der of [rsa.der, new Uint8Array(), new Uint8Array([0x30])]) {
    assert.ok(!isPkcs12(der));
  }
});

Deno.test("an agent reports the certificates of PKCS#12 files in a folder, and never a key", async () => {
  await using folder = await testFolder();
  await Deno.writeFile(
    `${folder.path}/store.pfx`,
    await exported(ec, ...SECRET),
  );
  await Deno.writeFile(
    `${folder.path}/locked.p12`,
    await exported(rsa, "-passout", "pass:unknown"),
  );
  await Deno.writeTextFile(`${folder.path}/passwords`, "other\nsecret\n");
  const bodies: string[] = [];
  const server = Deno.serve({
    hostname: "127.0.0.1",
    port: 0,
    onListen: () => {},
  }, async (request) => {
    bodies.push(await request.text());
    return Response.json({
      created: 0,
      updated: 0,
      unchanged: 0,
      certificates_created: 1,
      errors: [],
    });
  });
  const { stdout, stderr } = await certmgr([
    ...[
      "agent",
      "--url",
      `http://127.0.0.1:${server.addr.port}`,
      "--name",
      "files",
      "--once",
      "--json",
    ],
    ...[
      "--files",
      folder.path,
      "--pkcs12-passwords",
      `${folder.path}/passwords`,
    ],
  ], { env: { CERTMGR_TOKEN: "a".repeat(40) } });
  await server.shutdown();
  assert.equal(stderr, "");
  const [sent, ...more] = bodies.map((body) => JSON.parse(body));
  assert.deepEqual(more, []);
  assert.deepEqual(
    sent.certificates.map((one: { location: string }) => one.location),
    [
      `${folder.path}/store.pfx`,
    ],
  );
  assert.deepEqual(
    sent.certificates[0].presented.map((pem: string) => pem.replace(/\s/g, "")),
    [ec.pem, root.pem].map((pem) => pem.replace(/\s/g, "")),
  );
  const key = ec.key.privateKeyPem.replace(/-----.*-----|\s/g, "");
  assert.ok(!bodies.join().replace(/\\n/g, "").includes(key.slice(40, 100)));
  assert.ok(!bodies.join().includes("PRIVATE"));
  const [problem] = JSON.parse(stdout).errors;
  assert.match(
    problem.message,
    /locked\.p12: the PKCS#12 file cannot be read: none of the passwords is correct/,
  );
});

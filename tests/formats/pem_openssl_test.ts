import assert from "node:assert/strict";
import { FORMATS } from "../../src/formats/mod.ts";
import { openssl } from "../support/openssl.ts";
import { TestCa } from "../support/test_ca/mod.ts";
import { documentOf } from "./support.ts";

const root = await TestCa.root({ cn: "Root" });
const issuing = await root.intermediate({ cn: "Issuing" });
const crafted = "a\n-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n";

async function bundle(): Promise<string> {
  const leaves = await Promise.all(
    ["www.example.com", "Zürich 😀", crafted].map((cn) => issuing.issue({ cn })),
  );
  const rows = leaves.map(({ pem }, index) => ({
    common_name: ["www.example.com", "Zürich 😀", crafted][index]!,
    serial_number: `0${index}`,
    valid_to: "2026-10-31T23:59:59",
    pem_content: pem,
    issuer_chain: `${issuing.pem}${root.pem}`,
  }));
  const bare = { common_name: "none", serial_number: "09", valid_to: "2026-10-31T23:59:59", pem_content: "" };
  return await documentOf(FORMATS.pem, [...rows, bare], FORMATS.pem.fields({ chain: true }));
}

Deno.test("PEM: openssl storeutl finds each certificate and each chain, and nothing else", async () => {
  const path = await Deno.makeTempFile({ suffix: ".pem" });
  try {
    await Deno.writeTextFile(path, await bundle());
    assert.match(await openssl(["storeutl", "-noout", "-certs", path]), /^Total found: 9$/m);
    assert.match(await openssl(["storeutl", "-noout", path]), /^Total found: 9$/m);
  } finally {
    await Deno.remove(path);
  }
});

Deno.test("PEM: openssl crl2pkcs7 reads the whole bundle", async () => {
  const path = await Deno.makeTempFile({ suffix: ".pem" });
  try {
    await Deno.writeTextFile(path, await bundle());
    const pkcs7 = await openssl(["crl2pkcs7", "-nocrl", "-certfile", path]);
    const subjects = await openssl(["pkcs7", "-print_certs", "-noout"], pkcs7);
    assert.equal(subjects.match(/^subject=/gm)?.length, 9);
  } finally {
    await Deno.remove(path);
  }
});

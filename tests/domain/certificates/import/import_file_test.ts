/** Files of certificates of every kind. */

import assert from "node:assert/strict";
import { PATHS } from "../../../support/paths.ts";
import { managerOf, readerOf, superuser } from "../../../support/actors.ts";
import { testApp } from "../../../support/app.ts";
import { openssl, opensslBytes } from "../../../support/openssl.ts";
import { certificate } from "../../../support/paths.ts";
import { CHAIN, pki } from "../../../support/pki.ts";
import { seed } from "../../../support/seed.ts";
import { contentInfo, pkcs7, TestCa } from "../../../support/test_ca/mod.ts";
import { creates, IMPORT_FILE, importer, KEY_REFUSED, posts } from "./support.ts";

const { fresh, other, issuing, root, stored } = pki;
const uploads = posts(IMPORT_FILE);

type Content = Uint8Array | string;

function form(
  content: Content,
  fields: Readonly<Record<string, string>> = {},
  name = "upload.bin",
): FormData {
  const parts = new FormData();
  parts.append("file", new File([content as BlobPart], name));
  for (const [field, value] of Object.entries(fields)) parts.append(field, value);
  return parts;
}

const bundle = pkcs7([root.der, fresh.der, issuing.der]);
const bundlePem = `-----BEGIN PKCS7-----\n${bundle.toBase64()}\n-----END PKCS7-----\n`;
const byOpenssl = {
  der: await opensslBytes(["x509", "-outform", "DER"], fresh.pem),
  p7b: await crl2pkcs7("DER"),
  p7bPem: await crl2pkcs7("PEM"),
};

/** Returns a `.p7b` as openssl writes it. */
async function crl2pkcs7(outform: string): Promise<Uint8Array> {
  const certfile = await Deno.makeTempFile({ suffix: ".pem" });
  try {
    await Deno.writeTextFile(certfile, CHAIN + fresh.pem);
    return await opensslBytes(["crl2pkcs7", "-nocrl", "-certfile", certfile, "-outform", outform]);
  } finally {
    await Deno.remove(certfile);
  }
}

const KINDS: [what: string, content: Content, count: number][] = [
  ["DER", fresh.der, 1],
  ["DER by openssl", byOpenssl.der, 1],
  ["PEM", fresh.pem, 1],
  ["PEM with a chain", fresh.pem + CHAIN, 3],
  ["PEM with CRLF and text around", `Bag\r\n${fresh.pem.replaceAll("\n", "\r\n")}\r\nend`, 1],
  ["PKCS#7 in DER", bundle, 3],
  ["PKCS#7 in BER", pkcs7([root.der, fresh.der, issuing.der], { indefinite: true }), 3],
  ["PKCS#7 in PEM", bundlePem, 3],
  ["PKCS#7 by openssl in DER", byOpenssl.p7b, 3],
  ["PKCS#7 by openssl in PEM", byOpenssl.p7bPem, 3],
];
for (const [what, content, count] of KINDS) {
  // The name is wrong on purpose, because only the content decides.
  uploads(`${what} is read, whatever the name of the file`, form(content, {}, "photo.jpg"), {
    ...creates(count),
    json: (body) => {
      assert.deepEqual([body.created_count, body.skipped_count, body.skipped], [count, 0, []]);
      const names = body.certificates.map((one: { common_name: string }) => one.common_name);
      assert(names.includes("fresh.acme.example"));
      assert.deepEqual(Object.keys(body.certificates[0]), [
        "id",
        "url",
        "common_name",
        "serial_number",
        "status",
        "valid_to",
      ]);
    },
  });
}

Deno.test("import-file: members of a bundle are linked, and the stored PEM is the certificate", async () => {
  await using app = await testApp();
  const client = await app.as("superuser");
  const answer = await client(IMPORT_FILE, { method: "POST", body: form(byOpenssl.p7b) });
  const { certificates } = await answer.json();
  const chains = new Map<string, string>();
  for (const { id } of certificates) {
    const object = await (await client(certificate(id))).json();
    chains.set(object.common_name, object.issuer_chain);
    assert.equal(object.pem_matches, true);
    const printed = await openssl(["x509", "-noout", "-fingerprint", "-sha256"], object.pem_content);
    assert(printed.includes(object.fingerprint_sha256), "The fingerprint that openssl computes");
  }
  assert.deepEqual(Object.fromEntries(chains), {
    "fresh.acme.example": CHAIN,
    "Acme Issuing CA": root.pem,
    "Acme Root CA": "",
  });
});

uploads(
  "tenant by name, location and tags are the caller's",
  form(fresh.der, { tenant: " Acme Corp ", private_key_location: "vault:x", tags: "pci" }),
  { ...creates(1), contains: ["fresh.acme.example"] },
);
for (const tenant of ["Acme Corp", "acme", String(seed.tenants.acme)]) {
  Deno.test(`import-file: the tenant may be ${tenant}`, async () => {
    await using app = await testApp();
    const client = await app.as("superuser");
    const body = form(fresh.der, { tenant, tags: "pci", private_key_location: "vault:x" });
    const { certificates } = await (await client(IMPORT_FILE, { method: "POST", body })).json();
    const object = await (await client(certificate(certificates[0].id))).json();
    assert.deepEqual(
      [object.tenant.slug, object.tags[0].slug, object.private_key_location],
      ["acme", "pci", "vault:x"],
    );
  });
}
uploads("existing certificates are skipped", form(stored.acme.pem + fresh.pem), {
  ...creates(1),
  json: (body) => {
    assert.deepEqual([body.created_count, body.skipped_count], [1, 1]);
    assert.deepEqual(body.skipped, [{
      common_name: "www.acme.example",
      serial_number: "0A:1B:2C",
      reason: `Certificate already exists: www.acme.example (ID: ${seed.certificates.acmeWeb}).`,
    }]);
  },
});
uploads("a file with only existing certificates answers 200", form(stored.acme.der), {
  status: 200,
  json: (body) => assert.deepEqual([body.created_count, body.certificates, body.skipped_count], [0, [], 1]),
});
uploads("nothing is disclosed about a hidden duplicate", form(stored.globex.der, { tenant: "acme" }), {
  as: managerOf("acme"),
  status: 200,
  json: (body) => assert.equal(body.skipped[0].reason, "Certificate already exists."),
});

uploads("import_certificate is enough", form(fresh.der), { ...creates(1), as: importer(["import"]) });
uploads("the deprecated action add allows it", form(fresh.der), {
  ...creates(1),
  as: importer(["add"]),
  logs: ['"event":"deprecated"'],
});
uploads("bulk_operations alone is not enough", form(fresh.der), {
  as: importer(["bulk_operations", "view"]),
  status: 403,
});
uploads("a reader may not", form(fresh.der), { as: readerOf("acme"), status: 403 });
uploads("a read-only token may not", form(fresh.der), {
  as: superuser({ readOnlyToken: true }),
  status: 403,
});
uploads("without credentials nothing is imported", form(fresh.der), { as: "nobody", status: 401 });
uploads("one certificate outside the constraints makes the whole import fail", form(fresh.pem + other.pem), {
  as: importer(["import"], { common_name: "fresh.acme.example" }),
  status: 403,
});
uploads("a tenant that the caller may not see is unknown", form(fresh.der, { tenant: "globex" }), {
  as: managerOf("acme"),
  equals: { tenant: ['No tenant has the name, slug or ID "globex".'] },
});

const empty = new FormData();
const text = new FormData();
text.append("file", fresh.pem);
const two = form(fresh.der);
two.append("file", new File([other.der as BlobPart], "b.der"));
const pfx = await opensslBytes(
  ["pkcs12", "-export", "-passout", "pass:x", "-nokeys", "-in", "/dev/stdin"],
  fresh.pem,
);
const pfxWithKey = await opensslBytes(
  ["pkcs12", "-export", "-passout", "pass:x"],
  fresh.key.privateKeyPem + fresh.pem,
);
const enveloped = contentInfo("1.2.840.113549.1.7.3", Uint8Array.of(0x30, 0));
const REFUSED: [what: string, body: FormData, message: RegExp][] = [
  ["no file", empty, /^This field is required\.$/],
  ["a text in its place", text, /^Expected a file, not text\.$/],
  ["two files", two, /^Expected one file\.$/],
  ["an empty file", form(""), /^The file is empty\.$/],
  [
    "prose",
    form("hello"),
    /^No PEM block in the text\. Send the text of a table to bulk-data-import\/ instead, as "content" of a JSON object\.$/,
  ],
  ["noise", form(Uint8Array.of(0x30, 0x82, 1, 2, 3)), /^Unable to read certificates from the file: /],
  [
    "a truncated certificate",
    form(fresh.der.subarray(0, 200)),
    /^Unable to read certificates from the file: /,
  ],
  [
    "one bad block of two",
    form(`${fresh.pem}-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----`),
    /block 2/,
  ],
  ["an empty bundle", form(pkcs7([])), /contains no certificates/],
  ["encrypted PKCS#7", form(enveloped), /enveloped/],
  ["a private key in PEM", form(fresh.pem + fresh.key.privateKeyPem), new RegExp(KEY_REFUSED)],
  ["a private key in DER", form(derOf(fresh.key.privateKeyPem)), new RegExp(KEY_REFUSED)],
  ["PKCS#12 without a key", form(pfx), /A PKCS#12 file, which may contain a private key\. Export its/],
  ["PKCS#12 with a key", form(pfxWithKey), new RegExp(KEY_REFUSED)],
];
for (const [what, body, message] of REFUSED) {
  uploads(`${what} is refused on the part`, body, {
    json: (given) => {
      assert.deepEqual(Object.keys(given), ["file"]);
      assert.match(given.file[0], message);
    },
  });
}

function derOf(pem: string): Uint8Array {
  return Uint8Array.fromBase64(pem.replace(/-----[^-]+-----|\s/g, ""));
}

for (const field of ["private_key_location", "tenant", "tags", "anything"]) {
  uploads(`a private key in ${field} is refused`, form(fresh.der, { [field]: fresh.key.privateKeyPem }), {
    equals: { [field]: [KEY_REFUSED] },
  });
}
uploads(
  "all errors are reported together",
  form("hello", { tenant: "nobody", tags: "none", private_key_location: "x".repeat(501) }),
  {
    json: (body) =>
      assert.deepEqual(Object.keys(body).sort(), ["file", "private_key_location", "tags", "tenant"]),
  },
);
uploads("a file over the limit is refused with the limit", form(new Uint8Array(1024 * 1024 + 1)), {
  status: 413,
  contains: ["1048576"],
});
uploads("a file with more certificates than the limit is refused with the limit", form(fewBytesEach(1_001)), {
  json: (body) => assert.match(body.file.join("\n"), /More than 1000/),
});
uploads("a JSON body is refused with 415", { file: "x" }, { status: 415 });

/** Returns PEM blocks without certificates, because reading stops before they are parsed. */
function fewBytesEach(count: number): string {
  return "-----BEGIN CERTIFICATE-----\nMAA=\n-----END CERTIFICATE-----\n".repeat(count);
}

Deno.test("import-file: the time for a bundle of certificates with the same name grows with its size, not with the square", async () => {
  await using app = await testApp();
  const client = await app.as("superuser");
  const same = await Promise.all(
    Array.from({ length: 120 }, (_, index) => TestCa.root({ cn: "Same", serial: 0x700000 + index })),
  );
  const body = form(pkcs7(same.map(({ der }) => der)));
  const answer = await client(IMPORT_FILE, { method: "POST", body });
  const { created_count, certificates } = await answer.json();
  assert.equal(created_count, 120);
  const object = await (await client(certificate(certificates[0].id))).json();
  assert.equal(object.issuer_chain.match(/BEGIN CERTIFICATE/g).length, 20);
});

Deno.test("import-file says what a trust store is, and refuses PKCS#12 with a key", async () => {
  await using app = await testApp();
  const client = await app.as("superuser");
  const store = "30820100020103308200f006092a864886f70d010701a08006092a864886f70d010706";
  for (
    const [hex, message] of [
      [store, /A PKCS#12 file, which may contain a private key\. Export its certificates: openssl pkcs12/],
      [`${store}060b2a864886f70d010c0a0102a0`, /^Private key detected/],
      ["feedfeed0000000200000001", /A Java key store \(JKS\)/],
      ["504b0304140000000800", /A ZIP archive/],
    ] as const
  ) {
    const form = new FormData();
    form.set("file", new File([Uint8Array.fromHex(hex)], "store.bin"));
    const response = await client(`${PATHS.certificates}import-file/`, { method: "POST", body: form });
    assert.equal(response.status, 400);
    assert.match((await response.json()).file[0], message);
  }
});

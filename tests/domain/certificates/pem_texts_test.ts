/** A PEM text is returned unchanged, however it is stored. */

import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { sql } from "drizzle-orm";
import fc from "fast-check";
import { packPem, unpackPem } from "../../../src/domain/certificates/pem_texts.ts";
import { longBytes, longFields } from "../../../src/resource/mod.ts";
import { certificates } from "../../../src/domain/certificates/mod.ts";
import { encodePem, readCertificates } from "../../../src/x509/mod.ts";
import { type Client, type TestApp, testApp } from "../../support/app.ts";
import { callJson } from "../../support/call_json.ts";
import { PATHS } from "../../support/paths.ts";
import { ext, TestCa } from "../../support/test_ca/mod.ts";

const lines = fc.uint8Array({ maxLength: 3_000 }).map((der) => encodePem(der));
/** PEM texts in the usual form, with other line ends, and with a change somewhere. */
const texts = fc.oneof(
  lines,
  lines.map((text) => text.slice(0, -1)),
  lines.map((text) => text.replaceAll("\n", "\r\n")),
  lines.map((text) => text.replaceAll("\n", "\r\n").slice(0, -2)),
  lines.map((text) => text.replaceAll("\n", "\r")),
  fc.tuple(lines, fc.nat(), fc.nat(2), fc.constantFrom("", "\n", "\r", " ", "=", "-", "A", "é", "\u{1f512}"))
    .map(([text, at, gone, put]) => {
      const place = at % (text.length + 1);
      return text.slice(0, place) + put + text.slice(place + gone);
    }),
  fc.tuple(lines, lines).map((both) => both.join("")),
  fc.string(),
);

Deno.test("a packed text is unpacked byte by byte, and others are not packed", () => {
  fc.assert(
    fc.property(texts, (text) => {
      const packed = packPem(text);
      return packed === undefined || unpackPem(packed.bytes) === text;
    }),
    { numRuns: 3_000 },
  );
});

Deno.test("the usual form is packed, with each kind of line end, and is never longer than the DER and a byte", () => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 1, maxLength: 3_000 }), (der) => {
      const text = encodePem(der);
      for (const same of [text, text.slice(0, -1)]) {
        for (const one of [same, same.replaceAll("\n", "\r\n")]) {
          const packed = packPem(one);
          assert(packed !== undefined && packed.bytes.length <= der.length + 1);
          assert.equal(unpackPem(packed.bytes), one);
        }
      }
    }),
  );
});

const PINNED = [
  ["00010203", "-----BEGIN CERTIFICATE-----\nAQID\n-----END CERTIFICATE-----\n"],
  ["01020203", undefined],
  ["0163646266842100", "-----BEGIN CERTIFICATE-----\nAQIDAQIDAQIDAQID\n-----END CERTIFICATE-----\n"],
  ["02010203", "-----BEGIN CERTIFICATE-----\r\nAQID\r\n-----END CERTIFICATE-----\r\n"],
  ["04010203", "-----BEGIN CERTIFICATE-----\nAQID\n-----END CERTIFICATE-----"],
  ["06010203", "-----BEGIN CERTIFICATE-----\r\nAQID\r\n-----END CERTIFICATE-----"],
  ["08010203", undefined],
] as const;

Deno.test("texts that earlier releases have packed are read in the same way", () => {
  for (const [hex, text] of PINNED) {
    if (text !== undefined) assert.equal(unpackPem(Uint8Array.fromHex(hex)), text, hex);
    else assert.throws(() => unpackPem(Uint8Array.fromHex(hex)));
  }
});

const root = await TestCa.root({ cn: "Text Root", key: "ed25519" });
const [first, second] = await Promise.all(
  ["one", "two"].map((name) => root.issue({ cn: `${name}.texts.example`, key: "ed25519" })),
);
/** Texts with the first certificate, and whether they are packed. */
const VARIANTS: readonly [string, boolean][] = [
  [first!.pem, true],
  [first!.pem.trimEnd(), true],
  [first!.pem.replaceAll("\n", "\r\n"), true],
  [first!.pem.replaceAll("\n", "\r\n").trimEnd(), true],
  [first!.pem.replaceAll("\n", "\r"), false],
  [`${first!.pem}\n`, false],
  [` ${first!.pem}`, false],
  [`# é\n${first!.pem}`, false],
  [first!.pem + root.pem, false],
  [first!.pem.replace("\n", "\nFriendly-Name: one\n\n"), false],
  [first!.pem.replace(/\n(.{64})\n/, "\n$1"), false],
];

async function shown(client: Client, id: number): Promise<string[]> {
  const one = `${PATHS.certificates}${id}/`;
  const detail = await callJson(client, one);
  const list = await callJson(client, `${PATHS.certificates}?fields=pem_content&id=${id}`);
  const query =
    `{ certificate(id: ${id}) { pem_content } certificate_list(filters: {id: ${id}}) { pem_content } }`;
  const { data } = await callJson(client, "/graphql/", "POST", { query });
  const body = { ids: [id], fields: ["pem_content"], format: "json" };
  const exported = await callJson(client, `${PATHS.certificates}export/`, "POST", body);
  return [
    detail.pem_content,
    list.results[0].pem_content,
    data.certificate.pem_content,
    data.certificate_list[0].pem_content,
    exported[0].pem_content,
  ];
}

Deno.test("every interface shows the text that was written, however it is stored, and limits count its full length", async () => {
  await using app = await testApp();
  const client = await app.as("superuser");
  const { id } = await callJson(client, PATHS.certificates, "POST", { pem_content: second!.pem });
  const fields = longFields(certificates).filter(({ name }) => name === "pem_content");
  for (const [text, packed] of VARIANTS) {
    const written = await callJson(client, `${PATHS.certificates}${id}/`, "PATCH", { pem_content: text });
    assert.equal(written.pem_content, text);
    assert.deepEqual(new Set(await shown(client, id)), new Set([text]));
    const [row] = await app.database.all<{ packed: number; plain: string; bytes: number }>(
      sql`SELECT pem_packed IS NOT NULL AS packed, pem_content AS plain, (SELECT ${
        longBytes(certificates, fields)
      } FROM certificates WHERE id = certificate_id) AS bytes FROM certificate_texts WHERE certificate_id = ${id}`,
    );
    assert.deepEqual(row, {
      packed: Number(packed),
      plain: packed ? "" : text,
      bytes: new TextEncoder().encode(text).length,
    });
  }
  const emptied = await callJson(client, `${PATHS.certificates}${id}/`, "PATCH", { pem_content: "" });
  assert.equal(emptied.pem_content, "");
  assert.deepEqual(new Set(await shown(client, id)), new Set([""]));
});

Deno.test("a text of an earlier release is shown unchanged, is no change when it is written again, and is packed then", async () => {
  await using app = await testApp();
  const client = await app.as("superuser");
  const path = `${PATHS.certificates}${
    (await callJson(client, PATHS.certificates, "POST", { pem_content: first!.pem })).id
  }/`;
  const before = await callJson(client, path);
  const own = sql`certificate_id = ${before.id}`;
  await app.database.write((tx) =>
    tx.run(
      sql`UPDATE certificate_texts SET pem_content = ${
        first!.pem
      }, pem_bytes = NULL, pem_packed = NULL WHERE ${own}`,
    )
  );
  assert.deepEqual(await callJson(client, path), before);
  assert.deepEqual(await callJson(client, path, "PATCH", { pem_content: first!.pem }), before);
  const [row] = await app.database.all(
    sql`SELECT pem_content AS plain, pem_bytes AS bytes FROM certificate_texts WHERE ${own}`,
  );
  assert.deepEqual(row, { plain: "", bytes: first!.pem.length });
});

/** Returns the sizes of the packed texts of certificates, and the number of texts with a dictionary. */
async function storedTexts(app: TestApp): Promise<{ sizes: number[]; dictionaries: (number | null)[] }> {
  const rows = await app.database.all<{ size: number; dictionary: number | null }>(
    sql`SELECT length(pem_packed) AS size, pem_dictionary AS dictionary FROM certificate_texts
      WHERE pem_packed IS NOT NULL AND certificate_id > 1000 ORDER BY certificate_id`,
  );
  return { sizes: rows.map(({ size }) => size), dictionaries: rows.map(({ dictionary }) => dictionary) };
}

/** Returns the dictionaries, the newest first. */
async function storedDictionaries(app: TestApp): Promise<{ id: number; content: string }[]> {
  return await app.database.all(
    sql`SELECT id, lower(hex(content)) AS content FROM pem_dictionaries ORDER BY id DESC`,
  );
}

async function leaves(count: number): Promise<string[]> {
  const issued = Array.from({ length: count }, (_, place) =>
    root.issue({
      cn: `leaf-${place}.texts.example`,
      key: "ed25519",
      extensions: [
        ext.subjectAltName([`leaf-${place}.texts.example`]),
        ext.authorityInfoAccess({ ocsp: ["http://ocsp.texts.example/of/the/authority"] }),
        ext.crlDistributionPoints(["http://crl.texts.example/of/the/authority.crl"]),
      ],
    }));
  return (await Promise.all(issued)).map(({ pem }) => pem);
}

Deno.test("certificates of an issuer share a dictionary from the second one on, and are shown as they were written", async () => {
  await using app = await testApp();
  const client = await app.as("superuser");
  await app.database.write((tx) =>
    tx.run(sql`UPDATE sqlite_sequence SET seq = 1000 WHERE name = 'certificates'`)
  );
  const texts = await leaves(4);
  const ids: number[] = [];
  const create = async (pem_content: string): Promise<void> => {
    ids.push((await callJson(client, PATHS.certificates, "POST", { pem_content })).id);
  };
  await create(texts[0]!);
  assert.deepEqual((await storedTexts(app)).dictionaries, [null], "One certificate has nothing in common");
  await create(texts[1]!);
  await callJson(
    client,
    `${PATHS.certificates}bulk-import/`,
    "POST",
    texts.slice(2).map((pem_content) => ({ pem_content })),
  );
  const { sizes, dictionaries } = await storedTexts(app);
  const [last] = await storedDictionaries(app);
  assert.deepEqual(dictionaries, [null, last?.id, last?.id, last?.id]);
  // Key and signature are 96 bytes, of 450.
  for (const size of sizes.slice(1)) assert(size < sizes[0]! * 0.7, sizes.join());
  for (const [place, text] of texts.entries()) {
    assert.deepEqual(new Set(await shown(client, 1001 + place)), new Set([text]));
  }
});

Deno.test("a dictionary has no names and no key of the certificate that it was made of", async () => {
  await using app = await testApp();
  const client = await app.as("superuser");
  const texts = await leaves(2);
  for (const pem_content of texts) await callJson(client, PATHS.certificates, "POST", { pem_content });
  const [row] = await storedDictionaries(app);
  const content = row?.content ?? "";
  assert(
    content.includes(Buffer.from("http://ocsp.texts.example").toString("hex")),
    "What they have in common",
  );
  assert(!content.includes(Buffer.from("leaf-1").toString("hex")));
  const { certificate } = readCertificates(texts[1]!).members[0]!;
  for (const own of [certificate.publicKey.bits, certificate.signature, certificate.subjectKeyId]) {
    assert(own === undefined || !content.includes(own.toHex()));
  }
});

Deno.test("a dictionary whose transaction was rolled back is not used", async () => {
  await using app = await testApp();
  const client = await app.as("superuser");
  const texts = await leaves(4);
  const body = texts.map((pem_content, place) => ({
    pem_content,
    ...place === 3 ? { tenant: 999_999 } : {},
  }));
  const before = await storedDictionaries(app);
  const refused = await client(`${PATHS.certificates}bulk-import/`, { method: "POST", body });
  assert.equal(refused.status, 400);
  assert.deepEqual(await storedDictionaries(app), before);
  const { id } = await callJson(client, PATHS.certificates, "POST", { pem_content: texts[0] });
  assert.deepEqual(new Set(await shown(client, id)), new Set([texts[0]]));
  const [row] = await app.database.all(
    sql`SELECT pem_dictionary AS dictionary FROM certificate_texts WHERE certificate_id = ${id}`,
  );
  assert.deepEqual(row, { dictionary: null });
});

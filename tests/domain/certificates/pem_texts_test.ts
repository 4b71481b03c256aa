/** A PEM text is returned unchanged, however it is stored. */

import assert from "node:assert/strict";
import { sql } from "drizzle-orm";
import fc from "fast-check";
import { derOfPem, readPemText } from "../../../src/domain/certificates/pem_texts.ts";
import { longBytes, longFields } from "../../../src/resource/mod.ts";
import { certificates } from "../../../src/domain/certificates/mod.ts";
import { encodePem } from "../../../src/x509/mod.ts";
import { type Client, testApp } from "../../support/app.ts";
import { callJson } from "../../support/call_json.ts";
import { PATHS } from "../../support/paths.ts";
import { TestCa } from "../../support/test_ca/mod.ts";

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

Deno.test("a text is stored as DER only if the same text can be made of it, and the usual form always is", () => {
  fc.assert(
    fc.property(texts, (text) => {
      const der = derOfPem(text);
      return der === undefined || readPemText(der.toHex()) === text;
    }),
    { numRuns: 3_000 },
  );
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 1, maxLength: 3_000 }), (der) => {
      assert.deepEqual(derOfPem(encodePem(der)), der);
    }),
  );
});

const root = await TestCa.root({ cn: "Text Root", key: "ed25519" });
const [first, second] = await Promise.all(
  ["one", "two"].map((name) => root.issue({ cn: `${name}.texts.example`, key: "ed25519" })),
);
/** Texts with the first certificate, and whether they are stored as DER. */
const VARIANTS: readonly [string, boolean][] = [
  [first!.pem, true],
  [first!.pem.trimEnd(), false],
  [first!.pem.replaceAll("\n", "\r\n"), false],
  [first!.pem.replaceAll("\n", "\r\n").trimEnd(), false],
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
      sql`SELECT der IS NOT NULL AS packed, pem_content AS plain, (SELECT ${
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

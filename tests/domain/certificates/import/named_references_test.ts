/** Tenants, tags and authorities that tables name by texts. */

import assert from "node:assert/strict";
import { sql } from "drizzle-orm";
import { resolveNames } from "../../../../src/domain/certificates/import/mod.ts";
import { granted } from "../../../support/actors.ts";
import { testApp } from "../../../support/app.ts";
import { contextAs, textsOf } from "../import_preview/support.ts";
import { BULK_DATA, csvOf, type Found, metadata } from "./support.ts";

async function addTags(
  database: { write: unknown },
  tags: readonly [name: string, slug: string][],
): Promise<void> {
  const { write } = database as {
    write: (work: (tx: { run: (query: unknown) => unknown }) => unknown) => unknown;
  };
  await write.call(database, async (tx) => {
    for (const [name, slug] of tags) {
      await tx.run(sql`INSERT INTO tags (name, slug, created, last_updated) VALUES (${name}, ${slug}, 0, 0)`);
    }
  });
}

Deno.test("A table names tags by slug, else by name in any case; a slug takes precedence, because exports write it", async () => {
  await using app = await testApp();
  await addTags(app.database, [["Überwacht", "watched"], ["Team Blue", "blue"], ["sky", "team-blue"], [
    "Blue",
    "navy",
  ]]);
  const client = await app.as("superuser");
  const slugsFor = async (number: number, tags: string): Promise<unknown> => {
    const content = csvOf([metadata(number, { tags })]);
    const answer = await client(BULK_DATA, { method: "POST", body: { content } });
    const body = await answer.json();
    if (answer.status !== 201) return body.errors.map(({ message }: Found) => message);
    const { id } = body.certificates[0];
    const stored = await (await client(`/api/plugins/certmgr/certificates/${id}/`)).json();
    return stored.tags.map(({ slug }: { slug: string }) => slug).sort();
  };
  assert.deepEqual(await slugsFor(1, "watched"), ["watched"]);
  assert.deepEqual(await slugsFor(2, "Überwacht; team blue"), ["blue", "watched"]);
  assert.deepEqual(await slugsFor(3, "ÜBERWACHT"), ["watched"]);
  assert.deepEqual(await slugsFor(4, "blue"), ["blue"]);
  assert.deepEqual(await slugsFor(5, "BLUE"), ["navy"]);
  assert.deepEqual(await slugsFor(6, "Blue;blue"), ["blue", "navy"]);
  assert.deepEqual(await slugsFor(7, "team bleu"), [
    'No tag has the slug or name "team bleu". Did you mean "Team Blue"?',
  ]);
  assert.deepEqual(await slugsFor(8, "absent"), ['No tag has the slug or name "absent".']);
});

Deno.test("A name that several objects have in another case is refused, and names them", async () => {
  await using app = await testApp();
  await addTags(app.database, [["ROOM", "room-1"], ["Room", "room-2"]]);
  const [row] = await resolveNames({ ctx: app.ctx, tx: app.database }, [
    { place: 1, body: {}, errors: [], named: { tags: ["room"] } },
  ]);
  assert.deepEqual(textsOf(row?.errors), [
    '"room" could be one of several tags: "ROOM" and "Room". Use upper and lower case as in the name.',
  ]);
});

Deno.test("Hidden objects are neither found nor suggested", async () => {
  await using app = await testApp();
  await addTags(app.database, [["Secret", "hidden-one"]]);
  const ctx = await contextAs(
    app,
    granted([
      { types: ["certmgr.certificate"], actions: ["import"] },
      { types: ["extras.tag"], actions: ["view"], constraints: { slug: "prod" } },
    ], { username: "narrow" }),
  );
  for (const text of ["Secret", "secret", "secre", "hidden-one"]) {
    const [row] = await resolveNames({ ctx, tx: app.database }, [
      { place: 1, body: {}, errors: [], named: { tags: [text] } },
    ]);
    assert.deepEqual(textsOf(row?.errors), [`No tag has the slug or name ${JSON.stringify(text)}.`]);
  }
});

Deno.test("A caller without any permission to view tags names them exactly, and gets no suggestion", async () => {
  await using app = await testApp();
  await addTags(app.database, [["Secret", "hidden-one"]]);
  const ctx = await contextAs(app, granted([], { username: "none" }));
  for (
    const [text, errors] of [
      ["Secret", []],
      ["secre", ['No tag has the slug or name "secre".']],
    ] as const
  ) {
    const [row] = await resolveNames({ ctx, tx: app.database }, [
      { place: 1, body: {}, errors: [], named: { tags: [text] } },
    ]);
    assert.deepEqual(textsOf(row?.errors), errors);
  }
});

Deno.test("Names of a whole table take one statement per column, and one more for those in another case", async () => {
  await using app = await testApp();
  await addTags(app.database, [["Team Blue", "blue"]]);
  const counts: number[] = [];
  for (const [count, text] of [[1, "blue"], [100, "blue"], [1, "TEAM BLUE"], [100, "TEAM BLUE"]] as const) {
    const rows = Array.from({ length: count }, (_, place) => ({
      place,
      body: {},
      errors: [],
      named: { tags: [text, `absent ${place}`].slice(0, text === "blue" ? 1 : 2) },
    }));
    const before = app.database.statements;
    await resolveNames({ ctx: app.ctx, tx: app.database }, rows);
    counts.push(app.database.statements - before);
  }
  assert.deepEqual(counts, [1, 1, 2, 2]);
});

Deno.test("A cell with many unknown names has 20 errors, and one that counts the others", async () => {
  await using app = await testApp();
  const errorsOf = async (count: number): Promise<readonly string[]> => {
    const tags = Array.from({ length: count }, (_, place) => `absent ${place}`);
    const rows = [{ place: 1, body: {}, errors: [], named: { tags } }];
    const [row] = await resolveNames({ ctx: app.ctx, tx: app.database }, rows);
    return textsOf(row?.errors);
  };
  assert.equal((await errorsOf(20)).length, 20);
  const many = await errorsOf(100);
  assert.equal(many.length, 21);
  assert.equal(many.at(-1), "And 80 more.");
});

Deno.test("A cell with more tags than a certificate may have is refused before any is searched", async () => {
  await using app = await testApp();
  const rows = [101, 100_000].map((count, place) => ({
    place,
    body: {},
    errors: [],
    named: { tags: Array.from({ length: count }, (_, tag) => `absent ${tag}`) },
  }));
  const before = app.database.statements;
  const resolved = await resolveNames({ ctx: app.ctx, tx: app.database }, rows);
  assert.equal(app.database.statements, before);
  assert.deepEqual(resolved.map(({ errors }) => textsOf(errors)), [
    ["Ensure this field has no more than 100 elements, not 101."],
    ["Ensure this field has no more than 100 elements, not 100,000."],
  ]);
});

Deno.test("Rows with the same fingerprint and serial number are duplicates, however they write the issuer, and are imported once", async () => {
  await using app = await testApp();
  const client = await app.as("superuser");
  const { fingerprint_sha256, serial_number } = metadata(1);
  const colons = String(fingerprint_sha256).toUpperCase().replace(/(..)(?=.)/g, "$1:");
  const same = { fingerprint_sha256: colons, serial_number, issuer: "Rows CA" };
  const content = csvOf([metadata(1), metadata(2, same), metadata(3)]);
  const send = async (
    rest: Record<string, unknown>,
  ): Promise<{ status: number; body: Record<string, unknown> }> => {
    const answer = await client(BULK_DATA, { method: "POST", body: { content, ...rest } });
    return { status: answer.status, body: await answer.json() };
  };
  const refused = await send({});
  assert.deepEqual(refused.body.errors, [
    { row: 2, field: "fingerprint_sha256", message: "Duplicate of row 1 in this batch." },
  ]);
  const { status, body } = await send({ on_duplicate: "skip" });
  assert.deepEqual([status, body.created_count, body.skipped_count], [201, 2, 1]);
  const again = csvOf([metadata(9, same)]);
  const existing = await client(BULK_DATA, { method: "POST", body: { content: again } });
  const [{ field, message }] = (await existing.json()).errors;
  assert.equal(field, "fingerprint_sha256");
  assert.match(message, /^Certificate already exists \(ID: \d+\)\.$/);
  const otherSerial = csvOf([metadata(10, { fingerprint_sha256 }), metadata(11, { fingerprint_sha256 })]);
  assert.equal((await client(BULK_DATA, { method: "POST", body: { content: otherSerial } })).status, 201);
});

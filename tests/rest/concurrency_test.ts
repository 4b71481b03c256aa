/** Many concurrent writers: every response is correct, no row is lost or duplicated, and the change log is complete. */

import assert from "node:assert/strict";
import { type SQL, sql } from "drizzle-orm";
import { within } from "../support/actors.ts";
import { type Client, testApp } from "../support/app.ts";
import { PATHS } from "../support/paths.ts";
import { pki } from "../support/pki.ts";
import { assertReplayable } from "../support/replay.ts";
import { INDEX_ALL } from "../support/search_index.ts";
import { seed } from "../support/seed.ts";
import { metadata } from "../support/stored.ts";

const CLIENTS = 16;
const ROUNDS = 12;
/** Types of all objects that are written below, directly or indirectly. */
const TYPES = [
  "certmgr.certificate",
  "certmgr.certificateassignment",
  "certmgr.certificateauthority",
  "certmgr.certificatesigningrequest",
  "tenancy.tenant",
  "extras.tag",
];

interface Answer {
  status: number;
  // deno-lint-ignore no-explicit-any -- what a test looks at is what it says
  body: any;
  etag: string;
}

async function send(
  client: Client,
  method: string,
  path: string,
  body?: unknown,
  etag?: string,
): Promise<Answer> {
  const response = await client(path, {
    method,
    body,
    ...(etag === undefined ? {} : { headers: { "if-match": etag } }),
  });
  const text = await response.text();
  assert(response.status < 500, `${method} ${path} → ${text}`);
  return {
    status: response.status,
    body: text === "" ? null : JSON.parse(text),
    etag: response.headers.get("etag") ?? "",
  };
}

/** Runs all clients concurrently. */
function together<T>(work: (number: number) => Promise<T>): Promise<T[]> {
  return Promise.all(Array.from({ length: CLIENTS }, (_, number) => work(number)));
}

Deno.test(`${CLIENTS} clients create, change and delete concurrently, and every response matches the rows`, async () => {
  await using app = await testApp();
  const client = await app.as("superuser");
  const kept = (await together(async (number) => {
    const mine: number[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      const serial = 10_000 + number * 1_000 + round * 10;
      const bodies = [0, 1, 2].map((index) => metadata(serial + index, { tenant: 1, tags: [1, 2] }));
      const made = await send(client, "POST", PATHS.certificates, bodies);
      assert.equal(made.status, 201);
      const [first, second, third] = made.body.map(({ id }: { id: number }) => id);
      await send(client, "PATCH", `${PATHS.certificates}${first}/`, { status: "revoked", tags: [3] });
      await send(client, "PATCH", PATHS.certificates, [{ id: first, replaced_by: second }, {
        id: third,
        key_size: round + 1,
      }]);
      assert.equal((await send(client, "DELETE", `${PATHS.certificates}${second}/`)).status, 204);
      mine.push(first, third);
      app.clock.advance(1);
    }
    return mine;
  })).flat();
  const { body } = await send(
    client,
    "GET",
    `${PATHS.certificates}?limit=0&fields=id,serial_number&issuer=Stored`,
  );
  assert.deepEqual(
    body.results.map(({ id }: { id: number }) => id).sort((a: number, b: number) => a - b),
    kept.sort((a, b) => a - b),
  );
  await assertReplayable(app.ctx, TYPES);
});

Deno.test("of many concurrent creations with the same name one succeeds", async () => {
  await using app = await testApp();
  const client = await app.as("superuser");
  for (let round = 0; round < ROUNDS; round++) {
    const answers = await together(() =>
      send(client, "POST", PATHS.tenants, { name: `T${round}`, slug: `t${round}` })
    );
    assert.deepEqual(answers.map(({ status }) => status).sort(), [201, ...Array(CLIENTS - 1).fill(400)]);
  }
  await assertReplayable(app.ctx, TYPES);
});

Deno.test("of many concurrent imports of a certificate one creates it, and the others report a duplicate", async () => {
  await using app = await testApp();
  const client = await app.as("superuser");
  const answers = await together(() =>
    send(client, "POST", `${PATHS.certificates}import/`, { pem_content: pki.fresh.pem })
  );
  const [created, ...others] = answers.sort((a, b) => a.status - b.status);
  assert.equal(created?.status, 201);
  for (const { status, body } of others) {
    assert.equal(status, 400);
    assert.match(body.pem_content[0], new RegExp(`\\(ID: ${created?.body.id}\\)`));
  }
});

Deno.test("with If-Match no update is lost", async () => {
  await using app = await testApp();
  const client = await app.as("superuser");
  const path = `${PATHS.certificates}${seed.certificates.unicode}/`;
  const done = await together(async () => {
    let succeeded = 0;
    for (let round = 0; round < ROUNDS; round++) {
      const { body, etag } = await send(client, "GET", path);
      const count = Number(body.private_key_location || "0") + 1;
      const { status } = await send(client, "PATCH", path, { private_key_location: String(count) }, etag);
      assert(status === 200 || status === 412);
      if (status === 200) succeeded++;
    }
    return succeeded;
  });
  const total = done.reduce((sum, count) => sum + count, 0);
  const { body } = await send(client, "GET", path);
  assert.equal(Number(body.private_key_location), total);
  assert(total >= ROUNDS, `Only ${total} came through`);
  await assertReplayable(app.ctx, TYPES);
});

Deno.test("a row that is deleted while others change it is gone for all of them", async () => {
  await using app = await testApp();
  const client = await app.as("superuser");
  const path = `${PATHS.certificates}${seed.certificates.shared}/`;
  const answers = await together((number) =>
    number === CLIENTS / 2
      ? send(client, "DELETE", path)
      : send(client, "PATCH", path, { key_size: number + 1 })
  );
  const statuses = new Set(answers.map(({ status }) => status));
  for (const status of statuses) assert([200, 204, 404].includes(status), String(status));
  assert.equal((await send(client, "GET", path)).status, 404);
  await assertReplayable(app.ctx, TYPES);
});

Deno.test("readers see complete transactions", async () => {
  await using app = await testApp();
  const client = await app.as("superuser");
  const pair = [seed.certificates.unicode, seed.certificates.twin];
  let writing = true;
  const writer = async (): Promise<void> => {
    for (let round = 1; round <= 40; round++) {
      await send(
        client,
        "PATCH",
        PATHS.certificates,
        pair.map((id) => ({ id, private_key_location: `round ${round}` })),
      );
    }
    writing = false;
  };
  const reader = async (): Promise<number> => {
    let reads = 0;
    while (writing) {
      const { body } = await send(
        client,
        "GET",
        `${PATHS.certificates}?id=${pair.join("&id=")}&fields=private_key_location`,
      );
      const values = new Set(body.results.map((row: Record<string, string>) => row.private_key_location));
      assert.equal(values.size, 1, [...values].join());
      reads++;
      await new Promise((resolve) => setTimeout(resolve, 0));
    }
    return reads;
  };
  const [, ...reads] = await Promise.all([writer(), reader(), reader(), reader()]);
  assert(reads.every((count) => count > 0));
});

const RENEWALS = 40;

Deno.test(`of ${RENEWALS} renewals of one certificate at once, one succeeds and the others name its successor`, async () => {
  await using app = await testApp();
  const client = await app.as("superuser");
  const OLD = seed.certificates.acmeWeb;
  const answers = await Promise.all(
    Array.from({ length: RENEWALS }, async (_, number) => {
      const { pem } = await pki.issuing.issue({
        cn: "www.acme.example",
        serial: 0x0d0000 + number,
        sans: ["www.acme.example"],
        notAfter: "2027-10-31T23:59:59Z",
      });
      return await send(client, "POST", `${PATHS.certificates}${OLD}/renew/`, { pem_content: pem });
    }),
  );
  const [done, ...more] = answers.filter(({ status }) => status === 200);
  assert(done !== undefined && more.length === 0);
  const successor = done.body.new.id;
  for (const { status, body } of answers.filter((one) => one !== done)) {
    assert.equal(status, 409);
    assert(body.detail.includes(`(ID: ${successor})`), body.detail);
  }
  const old = await send(client, "GET", `${PATHS.certificates}${OLD}/`);
  assert.equal(old.body.replaced_by.id, successor);
  const moved = await send(client, "GET", `${PATHS.assignments}?certificate_id=${successor}`);
  assert.equal(moved.body.count, done.body.assignments_moved);
  await assertReplayable(app.ctx, TYPES);
});

Deno.test("of concurrent creations those outside the constraints store nothing, also not in the search index", async () => {
  await using app = await testApp();
  const client = await app.as(
    within("certmgr.certificate", ["view", "add"], { tenant__slug: "acme" }),
  );
  const before = await app.database.all<{ id: number }>(sql`SELECT id FROM certificates ORDER BY id`);
  const answers = await together((number) =>
    send(client, "POST", PATHS.certificates, {
      ...metadata(number),
      common_name: `together-${number}.example`,
      sans: [`san-${number}.together.example`],
      ...(number % 3 === 0 ? {} : { tenant: seed.tenants.acme }),
    })
  );
  assert.deepEqual(
    answers.map(({ status }) => status),
    answers.map((_, number) => number % 3 === 0 ? 403 : 201),
  );
  const stored = answers.filter(({ status }) => status === 201).map(({ body }) => body.id as number);
  const ids = async (statement: SQL): Promise<number[]> =>
    (await app.database.all<{ id: number }>(statement)).map(({ id }) => id);
  const expected = [...before.map(({ id }) => id), ...stored].sort((a, b) => a - b);
  assert.deepEqual(await ids(sql`SELECT id FROM certificates ORDER BY id`), expected);
  await app.database.write((tx) => tx.run(INDEX_ALL));
  assert.deepEqual(await ids(sql`SELECT id FROM certificate_search_docsize ORDER BY id`), expected);
  const named =
    sql`SELECT rowid AS id FROM certificate_search WHERE certificate_search MATCH '"tog" AND "eth" AND "her"' ORDER BY 1`;
  assert.deepEqual(await ids(named), [...stored].sort((a, b) => a - b));
  await app.database.write((tx) =>
    tx.run(sql`INSERT INTO certificate_search (certificate_search) VALUES ('integrity-check')`)
  );
  const changed = await ids(
    sql`SELECT object_id AS id FROM object_changes WHERE object_id IN (
          SELECT value FROM json_each(${JSON.stringify(stored)})) AND action = 'create' ORDER BY 1`,
  );
  assert.deepEqual(changed, [...stored].sort((a, b) => a - b));
});

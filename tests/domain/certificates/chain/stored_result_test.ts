/** The stored result of a chain validation: fields, change record and event, and its validity. */

import assert from "node:assert/strict";
import { sql } from "drizzle-orm";
import { AppError } from "../../../../src/base/errors.ts";
import { validateCertificateChain } from "../../../../src/domain/certificates/chain/validate_certificate.ts";
import { type Client, type TestApp, testApp } from "../../../support/app.ts";
import { callJson as call } from "../../../support/call_json.ts";
import { certificate, PATHS } from "../../../support/paths.ts";
import { CHAIN, pki } from "../../../support/pki.ts";
import { refusal } from "../../../support/refusals.ts";
import { seed } from "../../../support/seed.ts";
import { changesSince, lastChange, selectEveryEvent } from "../../../support/store.ts";
import { storeCertificates } from "../../../support/stored.ts";
import { changeLog } from "../../../support/change_log.ts";

const { acmeWeb, globexWeb } = seed.certificates;
const DAY = 86_400_000;

// deno-lint-ignore no-explicit-any -- what a test looks at is what it says
type Json = any;

function validate(client: Client, id: number, body?: unknown): Promise<Json> {
  return call(client, certificate(id, "validate-chain/"), "POST", body);
}

/** Returns the chain fields of a certificate. */
async function stored(client: Client, id: number): Promise<unknown[]> {
  const read = await call(client, certificate(id));
  return [
    read.chain_status,
    read.chain_is_valid,
    read.chain_depth,
    read.chain_validation_message,
    read.chain_validated_at,
  ];
}

const VOID = [null, null, null, "", null];

async function opened(): Promise<{ app: TestApp; client: Client }> {
  const app = await testApp();
  return { app, client: await app.as("superuser") };
}

Deno.test("the result is stored in five fields, and lists filter by it", async () => {
  const { app, client } = await opened();
  await using _app = app;
  assert.deepEqual(await stored(client, acmeWeb), VOID);
  const result = await validate(client, acmeWeb);
  await validate(client, globexWeb);
  assert.deepEqual(await stored(client, acmeWeb), [
    "valid",
    true,
    3,
    result.message,
    "2026-06-15T12:00:00Z",
  ]);
  for (const [query, ids] of [["valid", [acmeWeb]], ["no_chain", [globexWeb]], ["expired", []]] as const) {
    const page = await call(client, `${PATHS.certificates}?chain_status=${query}`);
    assert.deepEqual(page.results.map((row: Json) => row.id), ids, query);
  }
  const unvalidated = await call(client, `${PATHS.certificates}?chain_status=null`);
  assert.equal(unvalidated.count, Object.keys(seed.certificates).length - 2);
});

Deno.test("the same result again writes its time, and no column of an index", async () => {
  const { app, client } = await opened();
  await using _app = app;
  await validate(client, acmeWeb);
  await app.database.write((tx) =>
    tx.run(sql`CREATE TRIGGER refuse_writes BEFORE UPDATE OF chain_status, chain_is_valid, chain_depth,
      chain_validation_message, last_updated ON certificates BEGIN SELECT RAISE(ABORT, 'written'); END`)
  );
  app.clock.advance(DAY);
  assert.equal((await validate(client, acmeWeb)).status, "valid");
  assert.equal((await stored(client, acmeWeb)).at(-1), "2026-06-16T12:00:00Z");
});

Deno.test("a new result is an update with one record and one event, the same result again is no update", async () => {
  const { app, client } = await opened();
  await using _app = app;
  await selectEveryEvent(app.database);
  const start = await lastChange(app.database);
  await validate(client, acmeWeb);
  const first = await changesSince(app.database, start);
  assert.deepEqual(first.changes.map((one) => [one.action, one.object_id]), [["update", acmeWeb]]);
  assert.deepEqual(first.events, first.changes);
  // Without the hash of the response, which shows when the chain was validated.
  const read = async (): Promise<unknown> =>
    (await client(certificate(acmeWeb))).headers.get("etag")?.split("-")[0];
  const version = await read();

  app.clock.advance(DAY);
  const last = await lastChange(app.database);
  await validate(client, acmeWeb);
  assert.deepEqual(await changesSince(app.database, last), { changes: [], events: [] });
  assert.equal((await stored(client, acmeWeb))[4], "2026-06-16T12:00:00Z");
  assert.equal(await read(), version);

  app.clock.advance(365 * DAY);
  const result = await validate(client, acmeWeb);
  assert.equal(result.status, "expired");
  assert.equal((await changesSince(app.database, last)).events.length, 1);
  const row = (await changeLog(app.database)).at(-1);
  const [before, after] = [row?.prechange, row?.postchange].map((text) =>
    JSON.parse(text ?? "").chain_status
  );
  assert.deepEqual([before, after], ["valid", "expired"]);
});

Deno.test("a validation at another time stores nothing", async () => {
  const { app, client } = await opened();
  await using _app = app;
  await validate(client, acmeWeb);
  const before = await stored(client, acmeWeb);
  assert.equal((await validate(client, acmeWeb, { at: "2040-01-01" })).status, "expired");
  assert.deepEqual(await stored(client, acmeWeb), before);
});

for (
  const [what, body, voids] of [
    ["another PEM", { pem_content: pki.fresh.pem }, true],
    ["no PEM", { pem_content: "" }, true],
    ["another chain", { issuer_chain: pki.issuing.pem }, true],
    ["no chain", { issuer_chain: "" }, true],
    ["another authority", { issuing_ca: seed.authorities.acme }, true],
    ["no authority", { issuing_ca: null }, true],
    ["the same texts and authority", {
      pem_content: pki.stored.acme.pem,
      issuer_chain: CHAIN,
      issuing_ca: seed.authorities.internal,
    }, false],
    ["another status", { status: "revoked", private_key_location: "elsewhere" }, false],
  ] as const
) {
  Deno.test(`${what} ${voids ? "deletes" : "keeps"} the stored result`, async () => {
    const { app, client } = await opened();
    await using _app = app;
    await validate(client, acmeWeb);
    const before = await stored(client, acmeWeb);
    await call(client, certificate(acmeWeb), "PATCH", body);
    assert.deepEqual(await stored(client, acmeWeb), voids ? VOID : before);
  });
}

Deno.test("the deletion of its authority makes the stored result void", async () => {
  const { app, client } = await opened();
  await using _app = app;
  await validate(client, acmeWeb);
  await call(client, `${PATHS.authorities}${seed.authorities.internal}/`, "DELETE");
  assert.deepEqual(await stored(client, acmeWeb), VOID);
});

Deno.test("a tracked authority is trusted by its certificate, and no longer when that is gone", async () => {
  await using app = await testApp({ settings: { chainRequireRoot: true } });
  const client = await app.as("superuser");
  const [id] = await storeCertificates(app, [{ pem_content: pki.fresh.pem }]) as [number];
  assert.equal((await validate(client, id)).status, "no_chain");
  const setPem = (pem: string): Promise<unknown> =>
    app.database.write((tx) =>
      tx.run(
        sql`UPDATE certificate_authorities SET pem_content = ${pem}, last_updated = last_updated + 1
            WHERE id = ${seed.authorities.internal}`,
      )
    );
  await setPem(pki.issuing.pem);
  const trusted = await validate(client, id);
  assert.deepEqual([trusted.status, trusted.anchor, trusted.complete, trusted.chain_depth], [
    "valid",
    "tracked_ca",
    true,
    2,
  ]);
  await setPem(pki.stranger.pem);
  assert.equal((await validate(client, id)).status, "no_chain");
  await setPem("");
  assert.equal((await validate(client, id)).status, "no_chain");
});

Deno.test("a certificate that changes while its chain is validated does not get the result of the old text", async () => {
  await using app = await testApp();
  const { ctx, database } = app;
  const meddling = {
    ...ctx,
    database: new Proxy(database, {
      get(target, name): unknown {
        const value = Reflect.get(target, name);
        if (name !== "write") return typeof value === "function" ? value.bind(target) : value;
        return async (work: Parameters<typeof target.write>[0]) => {
          await target.write((tx) =>
            tx.run(sql`UPDATE issuer_chains SET content = 'other', sha256 = 'other ' || id`)
          );
          return await target.write(work);
        };
      },
    }),
  };
  const error: AppError = await refusal(
    validateCertificateChain({ ctx: meddling, id: acmeWeb, input: undefined }),
  );
  assert.equal(error.code, "conflict");
  assert.deepEqual(await stored(await app.as("superuser"), acmeWeb), VOID);
});

Deno.test("lists that filter by the time of validation are counted again, though a validation is not a change", async () => {
  const { app, client } = await opened();
  await using _app = app;
  await validate(client, acmeWeb);
  const path = `${PATHS.certificates}?chain_validated_at__gte=2026-06-16`;
  for (const count of [0, 0]) assert.equal((await call(client, path)).count, count);
  app.clock.advance(DAY);
  const last = await lastChange(app.database);
  await validate(client, acmeWeb);
  assert.equal(await lastChange(app.database), last);
  const page = await call(client, path);
  assert.deepEqual([page.count, page.results.length], [1, 1]);
});

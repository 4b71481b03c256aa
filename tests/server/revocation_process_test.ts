/** Revocation checks of services: two on one server share the work, and one that is killed loses nothing. */

import assert from "node:assert/strict";
import { sql } from "drizzle-orm";
import { openFileDatabase } from "../../src/db/file_client.ts";
import type { Database } from "../../src/db/mod.ts";
import { openRemoteDatabase } from "../../src/db/remote_client.ts";
import { api, certmgr, type RunningService, startService, testFolder } from "../cli/process.ts";
import { type ListHost, startHost } from "../domain/revocation/support.ts";
import { startLibsqlServer } from "../support/libsql_server.ts";
import { buildCrl, ext, TestCa } from "../support/test_ca/mod.ts";

const TOKEN = "abcdefghijABCDEFGHIJ0123456789abcdefghij";
const DAY_MS = 86_400_000;
const NOW = Date.now();
const VALID = { notBefore: NOW - 10 * DAY_MS, notAfter: NOW + 90 * DAY_MS };
const LISTS = ["/1.crl", "/2.crl", "/3.crl"];
const ca = await TestCa.root({ cn: "CA", keyUsage: ["keyCertSign", "cRLSign"] });
const list = await buildCrl(ca, { thisUpdate: NOW - DAY_MS, nextUpdate: NOW + 7 * DAY_MS });
const answer = (): Response => new Response(list as Uint8Array<ArrayBuffer>);

/** Imports four certificates for each list into a service that checks nothing, and ends it. */
async function fill(env: Parameters<typeof startService>[0], { origin }: ListHost): Promise<void> {
  await using service = await startService({ ...env, CERTMGR_REVOCATION: "off" });
  for (let index = 0; index < 4 * LISTS.length; index++) {
    const leaf = await ca.issue({
      cn: `c${index}.example`,
      extensions: [ext.crlDistributionPoints([origin + LISTS[index % LISTS.length]])],
      ...VALID,
    });
    const { status, json } = await api(service, {
      token: TOKEN,
      path: "plugins/certmgr/certificates/import/",
      body: { pem_content: leaf.pem + ca.pem },
    });
    assert.equal(status, 201, JSON.stringify(json));
  }
  service.signal("SIGTERM");
  await service.ended();
}

async function countOf(service: RunningService, path: string): Promise<number> {
  const { json } = await api(service, { token: TOKEN, path: `plugins/certmgr/${path}` });
  return json.count as number;
}

/** Waits until all certificates have an answer. */
async function untilGood(service: RunningService): Promise<void> {
  const end = performance.now() + 120_000;
  while (await countOf(service, "certificates/?revocation_status=good") < 4 * LISTS.length) {
    assert.ok(performance.now() < end, "Certificates have no answer");
    await new Promise((resume) => setTimeout(resume, 200));
  }
}

/** Lets the job begin at once in the next service, as if its interval were over. */
async function release(database: Database): Promise<void> {
  await database.write((tx) => tx.run(sql`DELETE FROM leases WHERE name = 'revocation'`));
}

function settings(folder: string): { CERTMGR_DATA_DIR: string } & Record<string, string> {
  return {
    CERTMGR_DATA_DIR: folder,
    CERTMGR_ADMIN_TOKEN: TOKEN,
    CERTMGR_REVOCATION_ALLOWED_NETWORKS: "127.0.0.0/8",
  };
}

Deno.test("two services on one server request each list once", async () => {
  await using server = await startLibsqlServer();
  await using folder = await testFolder();
  await using host = startHost();
  for (const path of LISTS) host.answers.set(path, answer);
  const env = { ...settings(folder.path), CERTMGR_DATABASE_URL: server.url };
  const database = openRemoteDatabase({ url: server.url });
  try {
    const { code, stderr } = await certmgr(["migrate"], { env });
    assert.equal(code, 0, stderr);
    await fill(env, host);
    await release(database);
    await using one = await startService(env);
    await using other = await startService(env);
    await Promise.all([untilGood(one), untilGood(other)]);
    assert.deepEqual(host.requests.toSorted(), LISTS.map((path) => `GET ${path}`));
    assert.equal(await countOf(one, "revocation-checks/"), 4 * LISTS.length);
  } finally {
    database.close();
  }
});

Deno.test("a service that is killed while it waits for a list loses nothing, and another one continues", async () => {
  await using folder = await testFolder();
  await using host = startHost();
  const asked = Promise.withResolvers<void>();
  const held = Promise.withResolvers<Response>();
  host.answers.set("/1.crl", answer);
  host.answers.set("/2.crl", answer);
  host.answers.set("/3.crl", () => {
    asked.resolve();
    return held.promise;
  });
  const env = settings(folder.path);
  await fill(env, host);
  const database = await openFileDatabase({ path: `${folder.path}/certmgr.db` });
  try {
    await release(database);
    await using second = await startService(env);
    await asked.promise;
    second.signal("SIGKILL");
    await second.ended();
    await release(database);
    host.answers.set("/3.crl", answer);
    held.resolve(answer());
    await using third = await startService(env);
    await untilGood(third);
    assert.equal(await countOf(third, "revocation-checks/"), 4 * LISTS.length);
    assert.equal(await countOf(third, "revocation-lists/"), LISTS.length);
  } finally {
    database.close();
  }
});

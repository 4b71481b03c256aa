/** Several nodes on one libSQL server give the same responses. */

import assert from "node:assert/strict";
import { sql } from "drizzle-orm";
import { systemClock } from "../../src/base/clock.ts";
import { migrate, MIGRATIONS } from "../../src/db/mod.ts";
import { openRemoteDatabase } from "../../src/db/remote_client.ts";
import { certmgr, startService, testFolder } from "../cli/process.ts";
import { TOKEN } from "../domain/webhooks/sending/processes.ts";
import { startLibsqlServer } from "../support/libsql_server.ts";
import { PATHS } from "../support/paths.ts";
import { metadata } from "../support/stored.ts";
import { changeLog, statusesOf } from "../support/change_log.ts";

/** How long another node may accept a token that was revoked on one node, in milliseconds. */
const REVOCATION_MS = 5_000;

interface Answer {
  readonly status: number;
  // deno-lint-ignore no-explicit-any -- what a test looks at is what it says
  readonly json: any;
}

async function ask(
  url: string,
  [method, path, body]: [string, string, unknown?],
  key = TOKEN,
): Promise<Answer> {
  const response = await fetch(url + path, {
    method,
    headers: { authorization: `Token ${key}`, "content-type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, json: text === "" ? undefined : JSON.parse(text) };
}

Deno.test("nodes see each other's writes and revoked tokens, and share jobs; a server without a schema is refused", async () => {
  await using server = await startLibsqlServer();
  await using folder = await testFolder();
  const common = { CERTMGR_ADMIN_TOKEN: TOKEN, CERTMGR_LOG_LEVEL: "error" };
  const one = { ...common, CERTMGR_DATA_DIR: `${folder.path}/one`, CERTMGR_DATABASE_URL: server.url };
  const two = { ...one, CERTMGR_DATA_DIR: `${folder.path}/two` };
  await assert.rejects(
    startService(two),
    /Migration 0001_\w+ is missing on the database server\. Run "certmgr migrate"/,
  );
  assert.equal((await certmgr(["migrate"], { env: two })).code, 0);
  // Data for a job to find when both nodes start.
  const database = openRemoteDatabase({ url: server.url });
  assert.deepEqual(await migrate(database, { migrations: MIGRATIONS, now: systemClock.now() }), []);
  await using first = await startService(one);
  const old = metadata(1, { valid_from: "2020-01-01", valid_to: "2020-12-31", status: "active" });
  const made = await ask(first.url, ["POST", PATHS.certificates, old]);
  assert.equal(made.status, 201);
  await database.write((tx) => tx.run(sql`DELETE FROM leases`));
  await using second = await startService(two);
  await using third = await startService({ ...one, CERTMGR_DATA_DIR: `${folder.path}/three` });

  // A write through one node can be read there and on the others at once.
  const tenant = await ask(second.url, ["POST", PATHS.tenants, { name: "Acme", slug: "acme" }]);
  assert.equal(tenant.status, 201);
  for (const { url } of [second, first, third]) {
    assert.equal((await ask(url, ["GET", `${PATHS.tenants}${tenant.json.id}/`])).json.name, "Acme");
  }

  // A node refuses a cached token soon after another node has revoked it.
  const token = await ask(first.url, ["POST", "/api/users/tokens/", { user: { username: "admin" } }]);
  const { id, key } = token.json;
  const status = async (url: string): Promise<number> =>
    (await ask(url, ["GET", "/api/status/"], key)).status;
  assert.deepEqual([await status(second.url), await status(third.url)], [200, 200]);
  assert.equal((await ask(first.url, ["DELETE", `/api/users/tokens/${id}/`])).status, 204);
  const revoked = performance.now();
  assert.equal(await status(first.url), 401);
  await new Promise((done) => setTimeout(done, REVOCATION_MS - (performance.now() - revoked)));
  assert.deepEqual([await status(second.url), await status(third.url)], [401, 401]);

  // The sweep at the start of both has run once.
  const swept = (await changeLog(database)).filter((change) =>
    change.object_id === made.json.id && change.action === "update" &&
    change.object_type === "certmgr.certificate" && statusesOf(change).after === "expired"
  );
  assert.equal(swept.length, 1);
  database.close();
});

/** Rights through the edge entry: what is hidden looks missing, and headers of clients count for nothing. */

import assert from "node:assert/strict";
import { sql } from "drizzle-orm";
import { openRemoteDatabase } from "../../src/db/remote_client.ts";
import { resources } from "../../src/domain/registry.ts";
import { signIn, superuser } from "../support/actors.ts";
import { databaseBytes, type TestDatabase } from "../support/database.ts";
import { type Edge, startEdge } from "../support/edge.ts";
import { startLibsqlServer } from "../support/libsql_server.ts";
import { actions, MISSING, type Request, viewing } from "../support/rights.ts";
import { sampleOf } from "../support/samples.ts";
import { seed, seededDatabase } from "../support/seed.ts";

interface Scene extends AsyncDisposable {
  readonly edge: Edge;
  readonly database: TestDatabase;
}

/** Starts the edge on a server with the inventory of the tests. */
async function startScene(): Promise<Scene> {
  await using seeded = await seededDatabase();
  const server = await startLibsqlServer({ bytes: await databaseBytes(seeded) });
  const database = Object.assign(openRemoteDatabase({ url: server.url }), {
    path: server.path,
    removeSync: () => {},
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  });
  const edge = await startEdge({ CERTMGR_DATABASE_URL: server.url, CERTMGR_RATE_LIMIT: "0" });
  return {
    edge,
    database,
    async [Symbol.asyncDispose](): Promise<void> {
      await edge[Symbol.asyncDispose]();
      database.close();
      await server[Symbol.asyncDispose]();
    },
  };
}

async function answerTo(
  { edge }: Scene,
  headers: Readonly<Record<string, string>>,
  { path, method, body }: Request,
): Promise<{ status: number; text: string }> {
  const response = await fetch(edge.url + path, {
    method,
    headers: { ...headers, "content-type": "application/json" },
    ...(body === undefined ? {} : { body: body instanceof FormData ? body : JSON.stringify(body) }),
    redirect: "manual",
  });
  const id = response.headers.get("x-request-id") ?? "none";
  return { status: response.status, text: (await response.text()).replaceAll(id, "…") };
}

Deno.test("what is hidden looks missing to every action of the API at the edge, and stays as it is", async () => {
  await using scene = await startScene();
  const { database } = scene;
  const faults: string[] = [];
  let compared = 0;
  for (const [index, resource] of resources.entries()) {
    const { objectType } = resource;
    const { hidden: id } = sampleOf(resource);
    const actor = viewing(objectType, { id__n: id }, `limited ${100 + index}`);
    const headers = await signIn(database, actor, Date.now());
    for (const { name, about } of actions.filter((action) => action.resource === resource)) {
      // A page needs a session, which tests/web has.
      if (!about(id).path.startsWith("/api/")) continue;
      const [hidden, missing] = [
        await answerTo(scene, headers, about(id)),
        await answerTo(scene, headers, about(MISSING)),
      ];
      const expected = { ...missing, text: missing.text.replaceAll(String(MISSING), String(id)) };
      if (JSON.stringify(hidden) !== JSON.stringify(expected)) {
        faults.push(`${name}: ${hidden.status} ${hidden.text.slice(0, 150)}`);
      }
      compared++;
    }
    const path = `/api/${resource.path}/`;
    const { status } = await answerTo(scene, headers, { path, method: "GET" });
    if (status !== 200) faults.push(`${path}: ${status}`);
  }
  assert.deepEqual(faults, []);
  const changes = sql`SELECT object_type, action FROM object_changes WHERE username LIKE 'limited%'`;
  assert.deepEqual(await database.all(changes), []);
  assert.ok(compared > 100, `${compared} actions`);
});

Deno.test("the edge takes address and origin from the connection, not from headers, and says what it cannot do", async () => {
  await using scene = await startScene();
  const actor = superuser({ username: "bound", allowedIps: ["192.0.2.1"] });
  const bound = await signIn(scene.database, actor, Date.now());
  const free = await signIn(scene.database, "superuser", Date.now());
  const path = `/api/plugins/certmgr/certificates/${seed.certificates.acmeWeb}/`;
  for (const name of ["x-forwarded-for", "forwarded", "x-real-ip", "cf-connecting-ip", "true-client-ip"]) {
    const value = name === "forwarded" ? "for=192.0.2.1" : "192.0.2.1";
    const { status } = await answerTo(scene, { ...bound, [name]: value }, { path, method: "GET" });
    assert.equal(status, 403, name);
  }
  const forwarded = { ...free, "x-forwarded-host": "evil.example", "x-forwarded-proto": "https" };
  const { text } = await answerTo(scene, forwarded, { path, method: "GET" });
  assert.equal(JSON.parse(text).url, scene.edge.url + path);
  const probe = `/api/plugins/certmgr/endpoints/${seed.endpoints.acme}/probe/`;
  const refused = await answerTo(scene, free, { path: probe, method: "POST", body: {} });
  assert.deepEqual(
    [refused.status, /edge|socket|cannot probe/i.test(refused.text)],
    [409, true],
    refused.text,
  );
});

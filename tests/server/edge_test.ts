/** The edge entry against a libSQL server, with the permissions of an edge: network and settings. */

import assert from "node:assert/strict";
import { startEdge } from "../support/edge.ts";
import { startLibsqlServer } from "../support/libsql_server.ts";
import { metadata } from "../support/stored.ts";
import { pki } from "../support/pki.ts";
import { PATHS } from "../support/paths.ts";
import { deploy } from "./deploy_edge.ts";

Deno.test("the edge answers 503 until the schema exists, and then serves, with network and settings only", async () => {
  await using server = await startLibsqlServer();
  const env = { CERTMGR_DATABASE_URL: server.url };
  await using edge = await startEdge(env);
  for (const path of ["/readyz", "/api/status/"]) {
    const early = await fetch(edge.url + path);
    assert.equal(early.status, 503);
    assert.equal(early.headers.get("retry-after"), "5");
    assert.match(await early.text(), /Migration 0001_initial_schema is missing\..*certmgr migrate/);
  }
  const token = await deploy(env);
  assert.deepEqual(await (await fetch(`${edge.url}/readyz`)).text(), "ready\n");
  const ask = async (
    path: string,
    body?: unknown,
  ): Promise<{ status: number; json: Record<string, unknown> }> => {
    const response = await fetch(edge.url + path, {
      method: body === undefined ? "GET" : "POST",
      headers: { authorization: `Token ${token}`, "content-type": "application/json" },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return { status: response.status, json: await response.json() };
  };
  assert.equal((await ask(PATHS.tenants, { name: "Acme", slug: "acme" })).status, 201);
  assert.equal((await ask(PATHS.certificates, metadata(1))).status, 201);
  const imported = await ask(`${PATHS.certificates}import/`, { pem_content: pki.fresh.pem });
  assert.equal(imported.status, 201);
  assert.equal((await ask(PATHS.certificates)).json.count, 2);
  const validated = await ask(`${PATHS.certificates}${imported.json.id}/validate-chain/`, {});
  assert.equal(validated.status, 200);
  const query = "{ certificate_list { common_name } }";
  assert.equal(
    ((await ask("/graphql/", { query })).json.data as { certificate_list: [] }).certificate_list.length,
    2,
  );
  const page = await fetch(`${edge.url}/login/`);
  assert.match(await page.text(), /<html/);
  assert.deepEqual(edge.lines.filter((line) => /"level":"error"|NotCapable/.test(line)), []);
});

for (
  const [what, env, line] of [
    ["no database server", {}, /CERTMGR_DATABASE_URL is not a server\. Expected libsql:/],
    [
      "a setting that is misspelt",
      { CERTMGR_DATABASE_ULR: "x" },
      /CERTMGR_DATABASE_ULR is unknown\. Did you mean CERTMGR_DATABASE_URL\?/,
    ],
  ] as const
) {
  Deno.test(`an edge with ${what} answers 503 and logs what is wrong`, async () => {
    await using edge = await startEdge(env);
    const response = await fetch(`${edge.url}/readyz`);
    assert.equal(response.status, 503);
    assert.deepEqual(await response.json(), {
      detail: "The service is not configured; its log says what is wrong.",
    });
    assert(edge.lines.some((one) => line.test(one)), edge.lines.join("\n"));
  });
}

/** Starts a database server that answers no request until the test makes it fail. */
function slowServer(): AsyncDisposable & { url: string; asked: Promise<void>; answer: () => void } {
  const asked = Promise.withResolvers<void>();
  const received = Promise.withResolvers<void>();
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, async () => {
    asked.resolve();
    await received.promise;
    return new Response("Not now", { status: 503 });
  });
  return {
    url: `http://127.0.0.1:${server.addr.port}`,
    asked: asked.promise,
    answer: received.resolve,
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
}

for (const signal of ["SIGTERM", "SIGINT"] as const) {
  Deno.test(`a self-hosted edge answers requests in flight after ${signal}, and ends with exit code 0`, async () => {
    await using server = slowServer();
    await using edge = await startEdge({ CERTMGR_DATABASE_URL: server.url });
    const answer = fetch(`${edge.url}/api/status/`);
    await server.asked;
    edge.signal(signal);
    await assert.rejects(async () => {
      for (;;) await (await fetch(`${edge.url}/healthz`)).body?.cancel();
    }, "The port is closed");
    server.answer();
    assert.deepEqual(await (await answer).json(), { detail: "The database is not available." });
    assert.equal(await edge.ended(), 0);
  });
}

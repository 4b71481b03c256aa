import assert from "node:assert/strict";
import { type Client, testApp } from "../support/app.ts";

const QUERY = "{ certificate_list { id } }";

async function post(client: Client, body: unknown, headers: Record<string, string> = {}): Promise<Response> {
  return await client("/graphql/", { method: "POST", body, headers });
}

Deno.test("without credentials the answer is 401, as a GraphQL error in the accepted media type", async () => {
  await using app = await testApp();
  const client = await app.as("nobody");
  const answers = [
    await post(client, { query: QUERY }),
    await client(`/graphql/?query=${encodeURIComponent(QUERY)}`),
    await post(client, { query: QUERY }, { authorization: `Token ${"x".repeat(40)}` }),
    await post(client, { query: QUERY }, { accept: "application/graphql-response+json" }),
  ];
  for (const response of answers) {
    assert.equal(response.status, 401);
    assert.equal(response.headers.get("www-authenticate"), "Token");
    const { errors: [error], data } = await response.json();
    assert.deepEqual([error.extensions.code, data], ["UNAUTHENTICATED", undefined]);
  }
  assert.match(answers[0]?.headers.get("content-type") ?? "", /^application\/json/);
  assert.match(answers[3]?.headers.get("content-type") ?? "", /^application\/graphql-response\+json/);
});

Deno.test("a query that is not executed has status 400, or 200 for clients that accept application/json", async () => {
  await using app = await testApp();
  const client = await app.as("superuser");
  const bad = [
    "{ certificate_list { idd } }",
    '{ certificate_list(filters: {status: "x"}) { id } }',
    "{ certificate_list(pagination: {limit: 1000}) { assignments(pagination: {limit: 1000}) { id } } }",
  ];
  for (const query of bad) {
    const own = await post(client, { query }, { accept: "application/graphql-response+json" });
    const plain = await post(client, { query }, { accept: "application/json" });
    assert.deepEqual([own.status, plain.status], [400, 200], query);
    const [a, b] = [await own.json(), await plain.json()];
    assert.deepEqual(a, b);
    assert.deepEqual([a.data, a.errors.length > 0], [undefined, true]);
  }
});

Deno.test("forms, mutations, batches and other methods are refused", async () => {
  await using app = await testApp();
  const client = await app.as("superuser");
  const form = "application/x-www-form-urlencoded";
  const sent = `query=${encodeURIComponent(QUERY)}`;
  const cases: readonly (readonly [Promise<Response>, number])[] = [
    [post(client, sent, { "content-type": form }), 415],
    [post(client, QUERY, { "content-type": "application/graphql" }), 415],
    [post(client, [{ query: QUERY }, { query: QUERY }]), 400],
    [client(`/graphql/?query=${encodeURIComponent("mutation { x }")}`), 405],
    [client("/graphql/", { method: "PUT", body: { query: QUERY } }), 405],
    [client("/graphql/", { method: "DELETE" }), 405],
    [post(client, "{", { "content-type": "application/json" }), 400],
    [post(client, { query: QUERY, variables: { x: "y".repeat(256 * 1024) } }), 413],
  ];
  for (const [answer, status] of cases) {
    const response = await answer;
    const text = await response.text();
    assert.equal(response.status, status, text);
    assert.doesNotMatch(text, /\.ts:\d|node_modules|SELECT/);
  }
});

Deno.test("variables and extensions in a URL that are not JSON are refused by name", async () => {
  await using app = await testApp();
  const client = await app.as("superuser");
  for (const name of ["variables", "extensions"]) {
    const response = await client(`/graphql/?query={__typename}&${name}=x`);
    assert.equal(response.status, 400);
    const { errors: [error] } = await response.json();
    assert.deepEqual([error.message, error.extensions.code], [
      `${name}: Expected an object as JSON, not "x".`,
      "BAD_USER_INPUT",
    ]);
    for (const valid of ["", "{}", "null"]) {
      const answer = await client(`/graphql/?query={__typename}&${name}=${encodeURIComponent(valid)}`);
      assert.deepEqual(await answer.json(), { data: { __typename: "Query" } }, valid);
    }
  }
});

Deno.test("a trailing slash is canonical; other paths do not exist", async () => {
  await using app = await testApp();
  const client = await app.as("superuser");
  const moved = await client("/graphql?query=x");
  assert.deepEqual([moved.status, moved.headers.get("location")], [
    301,
    "https://certmgr.example/graphql/?query=x",
  ]);
  const received = await client("/graphql", { method: "POST", body: { query: QUERY } });
  assert.equal(received.status, 404);
  assert.match(await received.text(), /https:\/\/certmgr\.example\/graphql\//);
  for (const path of ["/graphql/x", "/graphql/viewer/constructor", "/graphql/viewer/../../src"]) {
    const response = await client(path);
    await response.text();
    assert.equal(response.status, 404, path);
  }
});

Deno.test("a browser gets GraphiQL, served completely by the service, under a policy that allows no other origin", async () => {
  await using app = await testApp();
  const client = await app.as("nobody");
  const page = await client("/graphql/", { headers: { accept: "text/html,application/xhtml+xml" } });
  const html = await page.text();
  assert.deepEqual([page.status, page.headers.get("content-type")], [200, "text/html; charset=utf-8"]);
  const policy = page.headers.get("content-security-policy") ?? "";
  assert.match(policy, /default-src 'none'; script-src 'self'/);
  for (const directive of ["base-uri", "form-action", "frame-ancestors"]) {
    assert.ok(policy.includes(`; ${directive} 'none'`), directive);
  }
  assert.doesNotMatch(policy, /https?:|unsafe-eval|script-src[^;]*unsafe-inline/);
  assert.doesNotMatch(html, /https?:\/\/|<script>/);
  const files = [...html.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, path]) => path as string);
  assert.equal(files.length, 4);
  const workers = ["editor", "json", "graphql"].map((name) => `/graphql/viewer/${name}.worker.js`);
  for (const path of [...files, ...workers]) {
    const response = await client(path);
    assert.equal(response.status, 200, path);
    assert.match(
      response.headers.get("content-type") ?? "",
      path.endsWith("css") ? /^text\/css/ : /^text\/javascript/,
    );
    assert.ok((await response.text()).length > 50, path);
  }
});

Deno.test("the response to a defect has the request's id and nothing else", async () => {
  await using app = await testApp();
  const client = await app.as("superuser");
  await (await post(client, { query: "{ tag_list { id } }" })).text();
  const { database } = app;
  Object.assign(database, {
    batch: () => Promise.reject(new Error("SELECT inner secret")),
    all: () => Promise.reject(new Error("SELECT inner secret")),
  });
  const response = await post(client, { query: QUERY });
  const { errors: [error] } = await response.json();
  assert.equal(error.message, "Internal server error.");
  assert.deepEqual(error.extensions, {
    code: "INTERNAL_SERVER_ERROR",
    request_id: response.headers.get("x-request-id"),
  });
  assert.ok(
    app.log.some(({ event, error: text }) => event === "defect" && /inner secret/.test(String(text))),
  );
});

Deno.test("responses are private to the caller, and the log has the caller's name", async () => {
  await using app = await testApp();
  const response = await post(await app.as("superuser"), { query: QUERY });
  await response.text();
  assert.equal(response.headers.get("cache-control"), "private, no-cache");
  assert.equal(response.headers.get("api-version"), null);
  assert.match(response.headers.get("vary") ?? "", /Authorization/);
  assert.match(response.headers.get("content-security-policy") ?? "", /default-src 'none'/);
  assert.ok(
    app.log.some(({ event, path, username }) =>
      event === "request" && path === "/graphql/" && username === "chief"
    ),
  );
});

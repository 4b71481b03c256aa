/**
 * Requests as pynetbox, the usual client of NetBox, sends them, and the parts of responses that it needs; over a real
 * socket.
 */

import assert from "node:assert/strict";
import { resources } from "../../src/domain/registry.ts";
import { managerOf } from "../support/actors.ts";
import { type Listening, startListening } from "../support/listening.ts";
import { PATHS } from "../support/paths.ts";
import { sampleOf } from "../support/samples.ts";
import { seed } from "../support/seed.ts";

// deno-lint-ignore no-explicit-any -- what a client of another language sees
type Json = any;

/** A client like pynetbox: a session with a token, which uses URLs as the service returns them. */
class Session {
  constructor(readonly origin: string, readonly identity: Record<string, string>) {}

  async send(
    method: string,
    url: string,
    body?: unknown,
  ): Promise<{ status: number; headers: Headers; body: Json }> {
    const response = await fetch(new URL(url, this.origin), {
      method,
      headers: {
        accept: "application/json",
        ...this.identity,
        ...(body === undefined ? {} : { "content-type": "application/json" }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return {
      status: response.status,
      headers: response.headers,
      body: text === "" ? undefined : JSON.parse(text),
    };
  }

  async get(url: string): Promise<Json> {
    const { status, body } = await this.send("GET", url);
    assert.equal(status, 200, `${url} ${JSON.stringify(body)}`);
    return body;
  }

  /** `endpoint.all()` and `.filter()`: follow `next` from page to page. */
  async all(url: string): Promise<Json[]> {
    const results: Json[] = [];
    for (let next: string | null = url; next !== null;) {
      const page: Json = await this.get(next);
      results.push(...page.results);
      next = page.next;
    }
    return results;
  }
}

async function session(listening: Listening): Promise<Session> {
  return new Session(listening.origin, await listening.identify("superuser"));
}

Deno.test("nb.version and nb.status() are those of NetBox", async () => {
  await using listening = await startListening();
  const nb = await session(listening);
  const root = await nb.send("GET", "/api/");
  assert.equal(root.headers.get("api-version"), "4.6");
  const status = await nb.get("/api/status/");
  assert.equal(status["netbox-version"], "4.6.0");
});

Deno.test("all() of every endpoint returns rows with an id and a URL that leads back to them", async (t) => {
  await using listening = await startListening();
  const nb = await session(listening);
  for (const resource of resources) {
    await t.step(resource.path, async () => {
      const rows = await nb.all(`/api/${resource.path}/?limit=0`);
      assert(rows.length > 1);
      for (const row of rows) {
        assert(row.url.startsWith(`${listening.origin}/api/${resource.path}/`), row.url);
        assert.equal(typeof row.display, "string");
      }
      const { id, url } = rows[0];
      assert.equal((await nb.get(url)).id, id);
      for (const nested of nestedObjects(rows)) {
        assert.equal((await nb.get(nested.url)).id, nested.id, nested.url);
      }
    });
  }
});

/** Returns nested objects, each URL once. */
function nestedObjects(rows: readonly Json[]): { id: number; url: string }[] {
  const found = new Map<string, { id: number; url: string }>();
  const open: Json[] = rows.flatMap((row) => Object.values(row));
  for (let next = open.pop(); open.length > 0; next = open.pop()) {
    if (typeof next !== "object" || next === null) continue;
    if (typeof next.url === "string" && typeof next.id === "number") found.set(next.url, next);
    open.push(...Object.values(next));
  }
  return [...found.values()];
}

Deno.test("all() with a small page follows `next` to the end and returns each row once", async () => {
  await using listening = await startListening();
  const nb = await session(listening);
  const rows = await nb.all(`${PATHS.certificates}?limit=5`);
  assert.deepEqual(rows.map((row) => row.id).sort((a, b) => a - b), Object.values(seed.certificates));
});

Deno.test("count() requests one brief row and reads the count", async () => {
  await using listening = await startListening();
  const nb = await session(listening);
  const { count, results } = await nb.get(`${PATHS.certificates}?limit=1&brief=1&status=active`);
  assert.deepEqual([count, results.length], [8, 1]);
});

Deno.test("get(name=…) finds one object, filter(tag=[a, b]) those with both tags, choices() the choices", async () => {
  await using listening = await startListening();
  const nb = await session(listening);
  const [tenant, ...others] = await nb.all(`${PATHS.tenants}?name=Acme+Corp&limit=0`);
  assert.deepEqual([tenant.slug, others.length], ["acme", 0]);
  const both = await nb.all(`${PATHS.certificates}?tag=prod&tag=pci&limit=0`);
  assert.deepEqual(both.map((row) => row.id), [seed.certificates.acmeWeb]);
  const { body } = await nb.send("OPTIONS", PATHS.certificates);
  const choices = Object.entries(body.actions.POST as Record<string, Json>).filter(([, field]) =>
    field.choices
  );
  assert.deepEqual(choices.map(([name]) => name).slice(0, 2), ["algorithm", "status"]);
  assert.deepEqual(choices[1]?.[1].choices[0], { value: "active", display_name: "Active" });
});

Deno.test("create, save, update and delete work for one object and for many, on every resource that has them", async (t) => {
  await using listening = await startListening();
  const nb = await session(listening);
  for (const resource of resources) {
    const { create, change } = sampleOf(resource);
    const { collection, item } = resource.methods;
    if (create === undefined || change === undefined) continue;
    const path = `/api/${resource.path}/`;
    await t.step(resource.path, async () => {
      const one = await nb.send("POST", path, create(1));
      const further = [create(2), create(3)];
      const made = resource.written?.oneByOne
        ? [await nb.send("POST", path, further[0]), await nb.send("POST", path, further[1])]
        : [await nb.send("POST", path, further)];
      const many = { body: made.flatMap(({ body }) => body) };
      for (const { status, body } of [one, ...made]) assert.equal(status, 201, JSON.stringify(body));
      const records = [one.body, ...many.body];
      if (item.includes("PATCH")) {
        const saved = await nb.send("PATCH", one.body.url, change);
        assert.equal(saved.status, 200, JSON.stringify(saved.body));
        assert.deepEqual({ ...saved.body, ...change }, saved.body);
      }
      if (collection.includes("PATCH")) {
        const updated = await nb.send("PATCH", path, many.body.map(({ id }: Json) => ({ id, ...change })));
        assert.deepEqual([updated.status, updated.body.map(({ id }: Json) => id)], [
          200,
          many.body.map(({ id }: Json) => id),
        ]);
      }
      const [first, ...rest] = records;
      assert.equal((await nb.send("DELETE", first.url)).status, 204);
      if (collection.includes("DELETE")) {
        const removed = await nb.send("DELETE", path, rest.map(({ id }: Json) => ({ id })));
        assert.deepEqual([removed.status, removed.body], [204, undefined]);
      }
      assert.equal((await nb.send("GET", first.url)).status, 404);
    });
  }
});

Deno.test("an object that is written back as it was read does not change", async (t) => {
  await using listening = await startListening();
  const nb = await session(listening);
  const hosts = resources.filter(({ path }) => /^(?:dcim|ipam|tenancy|virtualization)\//.test(path));
  assert(hosts.length > 15);
  for (const { path, methods } of hosts.filter(({ methods }) => methods.item.includes("PUT"))) {
    await t.step(path, async () => {
      const [{ url }] = await nb.all(`/api/${path}/?limit=1`);
      const record = await nb.get(url);
      for (const method of methods.item.filter((one) => one === "PUT" || one === "PATCH")) {
        const { status, body } = await nb.send(method, record.url, record);
        assert.equal(status, 200, JSON.stringify(body));
        assert.deepEqual(body, record);
      }
    });
  }
});

Deno.test("a record that is written back as it was read does not change", async () => {
  await using listening = await startListening();
  const nb = await session(listening);
  const record = await nb.get(`${PATHS.certificates}${seed.certificates.acmeWeb}/`);
  const { status, body } = await nb.send("PUT", record.url, record);
  assert.equal(status, 200, JSON.stringify(body));
  assert.deepEqual(body, record);
});

Deno.test("links in what a restricted user reads lead only to objects that they may view", async () => {
  await using listening = await startListening();
  const nb = new Session(listening.origin, await listening.identify(managerOf("acme")));
  const rows = await nb.all(`${PATHS.certificates}?limit=2`);
  assert.equal(rows.length, 5);
  for (const nested of nestedObjects(rows)) assert.equal((await nb.get(nested.url)).id, nested.id);
});

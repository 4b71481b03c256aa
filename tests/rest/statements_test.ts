/** The number of statements depends on the request, never on the number of rows. */

import assert from "node:assert/strict";
import { resources } from "../../src/domain/registry.ts";
import { managerOf } from "../support/actors.ts";
import { type Ask, type TestApp, testApp } from "../support/app.ts";
import { PATHS } from "../support/paths.ts";
import { pki } from "../support/pki.ts";
import { metadata, storeCertificates } from "../support/stored.ts";
import { sampleOf } from "../support/samples.ts";

/** Returns the number of statements of a request, without that of authentication. */
async function statementsOf(app: TestApp, path: string, ask: Ask = {}): Promise<number> {
  const client = await app.as("superuser");
  await (await client("/api/status/")).body?.cancel();
  const before = app.database.statements;
  const response = await client(path, ask);
  assert(response.ok, `${ask.method ?? "GET"} ${path} → ${response.status} ${await response.clone().text()}`);
  await response.body?.cancel();
  return app.database.statements - before;
}

/** Without users, because each takes the time of hashing a password. */
const writable = resources.filter((one) =>
  one.methods.collection.includes("POST") && one.objectType !== "users.user"
);

for (const resource of writable) {
  const path = `/api/${resource.path}/`;
  Deno.test(`lists, reads and writes of ${resource.labelPlural} take as many statements for 100 as for one`, async () => {
    await using app = await testApp({ settings: { maxTokensPerUser: 1_000, maxFeedsPerUser: 1_000 } });
    const { create, change } = sampleOf(resource);
    if (["certmgr.certificateassignment", "tenancy.contactassignment"].includes(resource.objectType)) {
      await storeCertificates(app, Array.from({ length: 120 }, (_, index) => metadata(index)));
    }
    const counts: Record<string, number[]> = {};
    let number = 10;
    const bodyOf = (index: number): object => ({
      ...create?.(number++),
      // A user has at most fifty subscriptions.
      ...(resource.objectType === "certmgr.subscription" ? { user: 1 + index % 3 } : {}),
    });
    for (const size of [1, 10, 100]) {
      const bodies = Array.from({ length: size }, (_, index) => bodyOf(index));
      const note = async (what: string, given: string, ask: Ask = {}): Promise<void> => {
        (counts[what] ??= []).push(await statementsOf(app, given, ask));
      };
      for (const body of resource.written?.oneByOne ? bodies : [bodies]) {
        await note("create", path, { method: "POST", body });
      }
      await note("list", `${path}?limit=${size}&ordering=-id`);
      await note("brief", `${path}?limit=${size}&ordering=-id&brief=true`);
      await note("cursor", `${path}?limit=${size}&start=1`);
      const client = await app.as("superuser");
      const { results } = await (await client(`${path}?limit=${size}&ordering=-id&fields=id`)).json();
      const ids = results.map(({ id }: { id: number }) => ({ id }));
      if (resource.methods.collection.includes("PATCH")) {
        await note("update", path, {
          method: "PATCH",
          body: ids.map((one: object) => ({ ...one, ...change })),
        });
      }
      if (resource.methods.collection.includes("DELETE")) {
        await note("delete", path, { method: "DELETE", body: ids });
      }
    }
    for (const [what, [one = 0, ...others]] of Object.entries(counts)) {
      assert.deepEqual(others, others.map(() => one), what);
      assert(one <= MAX_STATEMENTS[what as keyof typeof MAX_STATEMENTS], `${what} takes ${one} statements`);
    }
  });
}

/** Maximum number of statements of a request. */
const MAX_STATEMENTS = { create: 14, list: 4, brief: 4, cursor: 2, update: 14, delete: 14 };

Deno.test("a list of certificates takes three statements at first, then two as long as nothing changes, details one", async () => {
  await using app = await testApp();
  const list = `${PATHS.certificates}?status=active&include_pem=true`;
  const counts: number[] = [];
  for (let round = 0; round < 3; round++) counts.push(await statementsOf(app, list));
  assert.deepEqual(counts, [3, 2, 2]);
  assert.equal(await statementsOf(app, `${PATHS.certificates}1/`), 1);
  assert.equal(await statementsOf(app, `${PATHS.certificates}1/?brief=true`), 1);
});

Deno.test("nested objects and restrictions need no additional statements", async () => {
  await using app = await testApp();
  const client = await app.as(managerOf("acme"));
  await (await client("/api/status/")).body?.cancel();
  const before = app.database.statements;
  const { results } = await (await client(`${PATHS.certificates}?limit=0`)).json();
  assert.equal(app.database.statements - before, 3);
  assert(
    results.some((row: { tenant: unknown; tags: unknown[] }) => row.tenant !== null && row.tags.length > 0),
  );
});

Deno.test("an import takes as many statements for many certificates as for two", async () => {
  const { fresh, other, issuing, root, byAcme, acme, anonymous } = pki;
  const counts: number[] = [];
  for (const members of [[fresh, issuing], [fresh, issuing, root, other, byAcme, acme, anonymous]]) {
    await using app = await testApp();
    const body = {
      pem_content: members.map(({ pem }) => pem).join(""),
      split: true,
      tags: [{ slug: "prod" }],
    };
    counts.push(await statementsOf(app, `${PATHS.certificates}import/`, { method: "POST", body }));
  }
  assert.equal(counts[1], counts[0]);
});

Deno.test("an export takes one statement for the count and one per page", async () => {
  await using app = await testApp();
  for (const format of ["json", "csv", "yaml", "pem"]) {
    const client = await app.as("superuser");
    await (await client("/api/status/")).body?.cancel();
    const before = app.database.statements;
    await (await client(`${PATHS.certificates}export/?format=${format}`)).text();
    assert.equal(app.database.statements - before, 2, format);
  }
});

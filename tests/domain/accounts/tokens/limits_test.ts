/** A token cannot exceed the token that created it, and a user has a limited number of tokens. */

import assert from "node:assert/strict";
import { sql } from "drizzle-orm";
import { isWithin } from "../../../../src/base/addresses.ts";
import { DAY_MS, formatDatetime } from "../../../../src/base/clock.ts";
import { granted } from "../../../support/actors.ts";
import { CLIENT_ADDRESS, type TestApp, testApp } from "../../../support/app.ts";
import { make } from "../../../support/make.ts";
import { TEST_NOW } from "../../../support/test_ca/mod.ts";
import { browserOf } from "../../../web/imports/browser.ts";

const PATH = "/api/users/tokens/";
const END = TEST_NOW + 10 * DAY_MS;
const at = (days: number): string => formatDatetime(TEST_NOW + days * DAY_MS);
const NETWORK = "192.0.2.0/24";

/** Asserts that a POST and a PATCH with the same values are answered with success or 403, as expected. */
async function refuses(
  app: TestApp,
  limits: { expires?: number; allowedIps?: string[] },
  table: readonly (readonly [body: Record<string, unknown>, allowed: boolean])[],
): Promise<void> {
  const actor = granted([], { username: "limited", ...limits });
  const client = await app.as(actor);
  const [own] = await app.database.all<{ id: number }>(
    sql`SELECT tokens.id AS id FROM tokens JOIN users ON users.id = user_id WHERE username = 'limited'`,
  );
  const count = async (): Promise<number> => (await app.database.all(sql`SELECT id FROM tokens`)).length;
  for (const [body, allowed] of table) {
    const before = await count();
    const created = await client(PATH, { method: "POST", body });
    assert.equal(created.status, allowed ? 201 : 403, `POST ${JSON.stringify(body)}`);
    const { detail, id } = await created.json();
    if (!allowed) assert.match(detail, /^A token cannot create or change a token beyond its own limits\. /);
    assert.equal(await count(), before + (allowed ? 1 : 0));
    const changed = await client(`${PATH}${allowed ? id : own?.id}/`, { method: "PATCH", body });
    await changed.body?.cancel();
    // A change without limits keeps those of the stored token.
    const kept = allowed || Object.keys(body).length === 0;
    assert.equal(changed.status, kept ? 200 : 403, `PATCH ${JSON.stringify(body)}`);
  }
}

Deno.test("a token that expires cannot create a token that expires later", async () => {
  await using app = await testApp();
  await refuses(app, { expires: END }, [
    [{}, false],
    [{ expires: null }, false],
    [{ expires: formatDatetime(END) }, true],
    [{ expires: formatDatetime(END + 1) }, false],
    [{ expires: at(11) }, false],
    [{ expires: at(9) }, true],
  ]);
});

Deno.test("a token for some addresses cannot create a token for others", async () => {
  await using app = await testApp();
  await refuses(app, { allowedIps: [NETWORK, "2001:db8::/32"] }, [
    [{}, false],
    [{ allowed_ips: [] }, false],
    [{ allowed_ips: null }, false],
    [{ allowed_ips: [NETWORK] }, true],
    [{ allowed_ips: [CLIENT_ADDRESS] }, true],
    [{ allowed_ips: ["192.0.2.128/25", "2001:db8:1::/48"] }, true],
    [{ allowed_ips: ["192.0.0.0/16"] }, false],
    [{ allowed_ips: ["0.0.0.0/0"] }, false],
    [{ allowed_ips: [NETWORK, "198.51.100.1"] }, false],
  ]);
});

Deno.test("a limited token cannot remove limits from itself or another token, nor change a token with fewer limits, alone or in a list", async () => {
  await using app = await testApp();
  const client = await app.as(granted([], { username: "limited", expires: END, allowedIps: [NETWORK] }));
  const [user] = await app.database.all<{ id: number }>(sql`SELECT id FROM users WHERE username = 'limited'`);
  const { id } = (await make(app, PATH, [{ user: user?.id, description: "wide", enabled: false }]))[0];
  const [own] = await app.database.all<{ id: number }>(
    sql`SELECT id FROM tokens WHERE user_id = ${user?.id} AND id <> ${id}`,
  );
  for (
    const [path, body] of [
      [`${PATH}${own?.id}/`, { expires: null }],
      [`${PATH}${own?.id}/`, { allowed_ips: [] }],
      [`${PATH}${id}/`, { enabled: true }],
      [PATH, [{ id: own?.id, description: "x" }, { id, enabled: true }]],
    ] as const
  ) {
    const response = await client(path, { method: "PATCH", body });
    assert.equal(response.status, 403, JSON.stringify(body));
    await response.body?.cancel();
  }
  for (
    const [path, body, status] of [
      [`${PATH}${own?.id}/`, { description: "still mine" }, 200],
      [`${PATH}${id}/`, { expires: formatDatetime(END), allowed_ips: [NETWORK] }, 200],
      [`${PATH}${id}/`, { enabled: true }, 200],
    ] as const
  ) {
    const response = await client(path, { method: "PATCH", body });
    assert.equal(response.status, status, JSON.stringify(body));
    await response.body?.cancel();
  }
});

Deno.test("tokens without limits, and web sessions, create any token", async () => {
  await using app = await testApp();
  const client = await app.as(granted([], { username: "free" }));
  const response = await client(PATH, { method: "POST", body: {} });
  assert.equal(response.status, 201);
  await response.body?.cancel();
  const browser = await browserOf(
    app,
    granted([], { username: "surfer", expires: END, allowedIps: [NETWORK] }),
  );
  const page = await browser.post("/profile/tokens/", {
    description: "from the page",
    write_enabled: "true",
  });
  assert.match(page.html, /not shown again/);
});

Deno.test("a network is within others if one of them contains all of its addresses", () => {
  const outer = ["10.0.0.0/8", "192.0.2.1", "2001:db8::/32"];
  for (
    const inner of [
      "10.0.0.0/8",
      "10.1.0.0/16",
      "10.255.255.255",
      "192.0.2.1",
      "192.0.2.1/32",
      "2001:db8:5::/48",
    ]
  ) {
    assert(isWithin(inner, outer), inner);
  }
  for (
    const inner of [
      "10.0.0.0/7",
      "8.0.0.0/7",
      "192.0.2.0/31",
      "11.0.0.1",
      "2001:db8::/31",
      "::/0",
      "0.0.0.0/0",
      "x",
    ]
  ) {
    assert(!isWithin(inner, outer), inner);
  }
  assert(!isWithin("10.0.0.1", []));
});

const QUOTA = 7;
for (
  const [what, path, body, settings] of [
    ["tokens", PATH, {}, { maxTokensPerUser: QUOTA }],
    ["calendar feeds", "/api/plugins/certmgr/calendar-feeds/", { name: "x" }, { maxFeedsPerUser: QUOTA }],
  ] as const
) {
  Deno.test(`of 40 ${what} created at once, as many are stored as a user may have`, async () => {
    await using app = await testApp({ settings });
    const client = await app.as(granted([], { username: "eager" }));
    const answers = await Promise.all(
      Array.from({ length: 40 }, async () => {
        const response = await client(path, { method: "POST", body });
        return [response.status, await response.json()] as const;
      }),
    );
    // The token of the requests counts, too.
    const room = what === "tokens" ? QUOTA - 1 : QUOTA;
    assert.equal(answers.filter(([status]) => status === 201).length, room);
    for (const [status, refusal] of answers.filter(([status]) => status !== 201)) {
      assert.equal(status, 400);
      assert.match(refusal.__all__[0], new RegExp(`has 7 ${what}, and the maximum is 7`));
    }
    const [first] = (await (await client(path)).json()).results.filter((one: { key_prefix?: string }) =>
      !one.key_prefix?.startsWith("Key")
    );
    await client(`${path}${first.id}/`, { method: "DELETE" });
    const again = await client(path, { method: "POST", body });
    assert.equal(again.status, 201, "There is room again");
    await again.body?.cancel();
  });
}

Deno.test("the quota is counted for each user, and the command line may exceed it", async () => {
  await using app = await testApp({ settings: { maxTokensPerUser: 1 } });
  for (const username of ["one", "two"]) {
    const client = await app.as(granted([], { username }));
    assert.equal((await client(PATH, { method: "POST", body: {} })).status, 400, username);
  }
  const [user] = await app.database.all<{ id: number }>(sql`SELECT id FROM users WHERE username = 'one'`);
  assert.equal((await make(app, PATH, [{ user: user?.id }])).length, 1);
});

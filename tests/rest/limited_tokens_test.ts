/** Every operation that writes, called with a token that expires, one for some addresses, and one of a provider. */

import assert from "node:assert/strict";
import { sql } from "drizzle-orm";
import fc from "fast-check";
import { decodeJwt } from "jose";
import { DAY_MS, formatDatetime } from "../../src/base/clock.ts";
import type { Operation } from "../../src/rest/mod.ts";
import { bodySchema } from "../properties/request_arbitrary.ts";
import { writtenBy } from "../properties/refusals.ts";
import { valuesOf } from "../properties/schema_arbitrary.ts";
import { CALLBACK, signIn, withProvider } from "../domain/accounts/oidc_app.ts";
import { accessTokenOf, API } from "../domain/accounts/oidc_server.ts";
import { superuser } from "../support/actors.ts";
import { type Client, CLIENT_ADDRESS, requestOf, type TestApp, testApp } from "../support/app.ts";
import { operations } from "../support/operations.ts";
import { sampleOf } from "../support/samples.ts";
import { seed } from "../support/seed.ts";
import { TEST_NOW } from "../support/test_ca/mod.ts";

const END = TEST_NOW + 10 * DAY_MS;
const WRITES = operations.filter(({ method, anonymous }) => method !== "GET" && !anonymous);

/** What gives access, or sends data, without an end: each row as text, without what every use changes. */
const ACCESS = [
  sql`SELECT 'user', id, username, email, password_hash, is_active, is_superuser FROM users`,
  sql`SELECT 'member', user_id, group_id FROM user_groups`,
  sql`SELECT 'group', id, name FROM groups`,
  sql`SELECT 'permission', id, object_types, actions, constraints, enabled FROM object_permissions`,
  sql`SELECT 'holder', object_permission_id, user_id FROM object_permission_users`,
  sql`SELECT 'holders', object_permission_id, group_id FROM object_permission_groups`,
  sql`SELECT 'session', id, user_id FROM sessions`,
  sql`SELECT 'identity', user_id, issuer, subject FROM user_identities`,
  sql`SELECT 'passkey', id, user_id FROM passkeys`,
  sql`SELECT 'app', user_id FROM authenticator_apps`,
  sql`SELECT 'code', hash, user_id FROM recovery_codes`,
  sql`SELECT 'feed', id, user_id, filter FROM calendar_feeds`,
  sql`SELECT 'subscription', id, user_id, channel_id, recipients, filter, enabled FROM subscriptions`,
  sql`SELECT 'channel', id, kind, settings, enabled FROM notification_channels`,
  sql`SELECT 'webhook', id, payload_url, enabled FROM webhooks`,
  sql`SELECT 'token', id, user_id, enabled, write_enabled, expires, allowed_ips FROM tokens`,
];

async function access({ database }: TestApp): Promise<Set<string>> {
  const rows: string[] = [];
  for (const statement of ACCESS) {
    for (const row of await database.all(statement)) rows.push(JSON.stringify(Object.values(row)));
  }
  return new Set(rows);
}

/** Returns bodies that the document allows: that of a sample, or any. */
function bodiesOf(operation: Operation, end = END): unknown[] {
  const { method, path } = operation;
  const resource = writtenBy(operation);
  const sample = resource === undefined ? undefined : sampleOf(resource);
  const isObject = path.endsWith("/{id}/");
  if (resource !== undefined && (isObject || path === `/api/${resource.path}/`)) {
    const changed = { id: sample?.idle, ...sample?.change };
    const limited = { expires: formatDatetime(end), allowed_ips: [CLIENT_ADDRESS] };
    const own = resource.objectType === "users.token" ? limited : {};
    if (method === "POST") return [{ ...sample?.create?.(7), ...own }, sample?.create?.(8)];
    const whole = method === "PUT" ? { ...sample?.create?.(9), ...sample?.fixed } : {};
    return method === "DELETE" && isObject
      ? [undefined]
      : isObject
      ? [{ ...whole, ...changed }]
      : [[{ ...whole, ...changed }]];
  }
  const schema = bodySchema(operation);
  return schema === undefined ? [undefined] : fc.sample(valuesOf(schema), { numRuns: 5, seed: 1 });
}

/** What a token may give access to: until a time, or from an address. */
type Limits = { readonly expires: number } | { readonly allowedIps: readonly string[] };

/** Sends every write; fails if one gives access beyond the limits, or if too few are refused because of them. */
async function assertLimited(app: TestApp, limited: Client, limits: Limits): Promise<void> {
  const end = "expires" in limits ? limits.expires : undefined;
  let [refused, created] = [0, 0];
  for (const operation of WRITES) {
    const resource = writtenBy(operation);
    const id = resource === undefined ? 1 : sampleOf(resource).idle ?? sampleOf(resource).seen;
    for (const body of bodiesOf(operation, end)) {
      const before = await access(app);
      const response = await limited(operation.path.replace("{id}", String(id)), {
        method: operation.method,
        ...(body === undefined ? {} : { body }),
      });
      const text = await response.text();
      if (/^\{"detail":"A token (that expires|cannot create)/.test(text)) {
        assert.equal(response.status, 403);
        refused++;
      }
      const made = [...await access(app)].filter((row) => !before.has(row));
      const beyond = made.filter((row) => {
        const [kind, , , , , expires, ips] = JSON.parse(row);
        const isWithin = end === undefined
          ? ips === `["${CLIENT_ADDRESS}"]`
          : expires !== null && expires <= end;
        return kind !== "token" || !isWithin;
      });
      created += made.length;
      assert.deepEqual(
        beyond,
        [],
        `${operation.operationId} ${JSON.stringify(body)}: ${response.status} ${text}`,
      );
    }
  }
  assert.ok(refused >= 7 * 5, `Only ${refused} were refused`);
  assert.ok(created > 0, "A token within the limits is created");
}

for (
  const [what, limits] of [
    ["expires", { expires: END }],
    ["is for some addresses", { allowedIps: ["192.0.2.0/24"] }],
  ] as const
) {
  Deno.test(`no operation gives access without the limits of a token that ${what}`, async () => {
    await using app = await testApp();
    await assertLimited(app, await app.as(superuser({ username: "limited", ...limits })), limits);
  });
}

Deno.test("no operation gives access that outlasts an access token of a provider", async () => {
  await withProvider(async (app, provider) => {
    await signIn(app, "17");
    await app.database.write((tx) => tx.run(sql`UPDATE users SET is_superuser = 1 WHERE username = 'dora'`));
    const token = await accessTokenOf(provider, "17", CALLBACK);
    const { exp = 0 } = decodeJwt(token);
    const identity = { authorization: `Bearer ${token}` };
    const limited: Client = async (path, ask) => await app.app.fetch(requestOf(path, ask, identity));
    await assertLimited(app, limited, { expires: exp * 1000 });
  }, { apiAudience: API });
});

Deno.test("no operation changes anything with a read-only token", async () => {
  await using app = await testApp();
  const reader = await app.as(superuser({ username: "reader", readOnlyToken: true }));
  const stored = async (): Promise<unknown> => [
    [...await access(app)],
    await app.database.all(sql`SELECT max(id) FROM object_changes`),
    await app.database.all(sql`SELECT count(*) FROM import_previews`),
    await app.database.all(sql`SELECT id, last_probed, next_probe FROM endpoints`),
    await app.database.all(sql`SELECT id, next_run FROM scan_jobs`),
  ];
  const before = await stored();
  let refused = 0;
  for (const operation of WRITES) {
    const resource = writtenBy(operation);
    const id = resource === undefined ? 1 : sampleOf(resource).idle ?? sampleOf(resource).seen;
    for (const body of bodiesOf(operation)) {
      const response = await reader(operation.path.replace("{id}", String(id)), {
        method: operation.method,
        ...(body === undefined ? {} : { body }),
      });
      const text = await response.text();
      if (/This token is read-only/.test(text)) refused++;
      assert.deepEqual(await stored(), before, `${operation.operationId}: ${response.status} ${text}`);
    }
  }
  assert.ok(refused > 100, `Only ${refused} were refused`);
});

for (
  const [path, body] of [
    ["users/users", { username: "sample", password: "correct horse battery" }],
    ["users/groups", { name: "sample" }],
    ["users/permissions", { name: "sample", object_types: ["extras.tag"], actions: ["view"] }],
    ["plugins/certmgr/calendar-feeds", { name: "sample" }],
    ["extras/webhooks", sampleBody("extras.webhook")],
    ["plugins/certmgr/notification-channels", sampleBody("certmgr.notificationchannel")],
    ["plugins/certmgr/subscriptions", sampleBody("certmgr.subscription")],
  ] as const
) {
  Deno.test(`POST ${path}/ is refused for limited tokens with a reason, and works without limits`, async () => {
    await using app = await testApp();
    for (const limits of [{ expires: END }, { allowedIps: [CLIENT_ADDRESS] }]) {
      const limited = await app.as(superuser({ username: `limited ${Object.keys(limits)}`, ...limits }));
      const response = await limited(`/api/${path}/`, { method: "POST", body });
      assert.equal(response.status, 403);
      assert.match(
        (await response.json()).detail,
        /^A token that expires or has allowed_ips may not create or change /,
      );
    }
    const free = await app.as(superuser({ username: "free" }));
    const created = await free(`/api/${path}/`, { method: "POST", body });
    assert.equal(created.status, 201, await created.text());
  });
}

function sampleBody(objectType: string): Record<string, unknown> {
  const operation = WRITES.find((one) => writtenBy(one)?.objectType === objectType);
  const resource = operation === undefined ? undefined : writtenBy(operation);
  return (resource === undefined ? undefined : sampleOf(resource).create?.(7)) ?? {};
}

Deno.test("a limited token still reads and deletes, and changes what has no rights", async () => {
  await using app = await testApp();
  const limited = await app.as(superuser({ username: "limited", expires: END }));
  for (
    const [method, path, body, status] of [
      ["GET", `users/users/${seed.users.alice}`, undefined, 200],
      ["DELETE", `extras/webhooks/${seed.webhooks.idle}`, undefined, 204],
      ["PATCH", `tenancy/tenants/${seed.tenants.acme}`, { description: "x" }, 200],
    ] as const
  ) {
    const response = await limited(`/api/${path}/`, { method, ...(body === undefined ? {} : { body }) });
    assert.equal(response.status, status, await response.text());
  }
});

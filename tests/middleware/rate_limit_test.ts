/** The rate limit applies to each client separately. */

import assert from "node:assert/strict";
import { createRateLimiter, RATE_LIMIT_CLIENTS } from "../../src/middleware/admit.ts";
import { testApp } from "../support/app.ts";
import { PATHS } from "../support/paths.ts";

Deno.test("more requests than the limit are answered 429 with the seconds to wait, until the minute is over", async () => {
  await using app = await testApp({ rateLimit: 3 });
  const client = await app.as("superuser");
  const ask = async (from: string): Promise<[number, string | null, string]> => {
    const response = await client(`${PATHS.tags}?limit=1`, { from });
    return [response.status, response.headers.get("retry-after"), await response.text()];
  };
  for (let count = 0; count < 3; count++) assert.equal((await ask("192.0.2.1"))[0], 200);
  app.clock.advance(15_500);
  const [status, retryAfter, body] = await ask("192.0.2.1");
  assert.deepEqual([status, retryAfter], [429, "45"]);
  assert.equal(
    JSON.parse(body).detail,
    "Request was throttled: more than 3 requests in a minute. Expected available in 45 seconds.",
  );
  assert.equal((await ask("192.0.2.2"))[0], 200);
  app.clock.advance(44_500);
  assert.equal((await ask("192.0.2.1"))[0], 200);
});

Deno.test("a throttled request runs no statement", async () => {
  await using app = await testApp({ rateLimit: 1 });
  const client = await app.as("superuser");
  await (await client(PATHS.tags)).body?.cancel();
  const before = app.database.statements;
  const response = await client(PATHS.tags, { method: "POST", body: { name: "x", slug: "x" } });
  assert.equal(response.status, 429);
  assert.equal(app.database.statements, before);
  await response.body?.cancel();
});

Deno.test("clients behind a trusted proxy are distinguished, others cannot pose as many", async () => {
  for (const [trustedProxies, expected] of [[["192.0.2.1"], 200], [[], 429]] as const) {
    await using app = await testApp({ rateLimit: 1, trustedProxies });
    const nobody = await app.as("nobody");
    const statuses: number[] = [];
    for (const address of ["198.51.100.1", "198.51.100.2"]) {
      const response = await nobody("/api/", { headers: { "x-forwarded-for": address } });
      statuses.push(response.status);
      await response.body?.cancel();
    }
    assert.deepEqual(statuses, [200, expected]);
  }
});

Deno.test("the addresses of one IPv6 /64 are one client, and an IPv4 address is one client in every notation", () => {
  const limit = createRateLimiter(1);
  limit("2001:db8:1:2::1", 0);
  assert.throws(() => limit("2001:db8:1:2:ffff:ffff:ffff:ffff", 0), { code: "rate_limited" });
  limit("2001:db8:1:3::1", 0);
  limit("::ffff:192.0.2.1", 0);
  assert.throws(() => limit("192.0.2.1", 0), { code: "rate_limited" });
  limit("::ffff:192.0.2.2", 0);
});

Deno.test("requests to health checks and metrics are neither counted nor throttled", async () => {
  await using app = await testApp({ rateLimit: 1 });
  const client = await app.as("superuser");
  const statusOf = async (path: string): Promise<number> => {
    const response = await client(path);
    await response.body?.cancel();
    return response.status;
  };
  const watch = async (): Promise<void> => {
    for (const path of ["/healthz", "/readyz", "/metrics"]) assert.equal(await statusOf(path), 200, path);
  };
  await watch();
  assert.equal(await statusOf("/api/"), 200);
  assert.equal(await statusOf("/api/"), 429);
  await watch();
});

Deno.test("the limiter evicts the least recent client when there are too many", () => {
  const limit = createRateLimiter(1);
  for (let client = 0; client <= RATE_LIMIT_CLIENTS; client++) limit(`client ${client}`, 0);
  limit("client 0", 1);
  assert.throws(() => limit("client 5", 1), { code: "rate_limited" });
});

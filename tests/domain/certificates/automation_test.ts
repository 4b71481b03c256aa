/** How a certificate is renewed: what a user says counts most, then the flag, then agents, then how renewals look. */

import assert from "node:assert/strict";
import { eq } from "drizzle-orm";
import { update } from "../../../src/db/mod.ts";
import { certificates } from "../../../src/db/schema/mod.ts";
import { type TestApp, testApp } from "../../support/app.ts";
import { callJson as call } from "../../support/call_json.ts";
import { certificate, PATHS } from "../../support/paths.ts";

const DAY = 86_400_000;
const START = Date.UTC(2026, 0, 1);
const at = (day: number): string => new Date(START + day * DAY).toISOString();

interface Step {
  /** The day on which it begins; each lasts 90 days. */
  readonly from: number;
  readonly via?: string;
}

/** Stores certificates of one name, each of which replaces the one before. Returns their ids. */
async function line(app: TestApp, steps: readonly Step[], issuer = "O=Internal"): Promise<number[]> {
  const client = await app.as("superuser");
  const ids: number[] = [];
  for (const { from, via = "endpoint www.line.example:443" } of steps) {
    const { id } = await call(client, PATHS.certificates, "POST", {
      common_name: "www.line.example",
      serial_number: crypto.randomUUID().replaceAll("-", ""),
      issuer,
      valid_from: at(from),
      valid_to: at(from + 90),
      fingerprint_sha256: `${crypto.randomUUID()}${crypto.randomUUID()}`.replaceAll("-", ""),
      algorithm: "ecdsa",
    });
    await app.database.write((tx) =>
      tx.run(update(certificates).set({ discovered_via: via }).where(eq(certificates.id, id)))
    );
    ids.push(id);
  }
  return ids;
}

async function link(app: TestApp, ids: readonly number[], reason = "renewal"): Promise<void> {
  for (const [index, id] of ids.entries()) {
    if (index === 0) continue;
    const body = { replaced_by: id, replacement_reason: reason };
    await call(await app.as("superuser"), certificate(ids[index - 1] ?? 0), "PATCH", body);
  }
}

async function automationOf(app: TestApp, id = 0): Promise<string> {
  return (await call(await app.as("superuser"), certificate(id))).automation;
}

const EARLY: readonly Step[] = [0, 60, 120, 180].map((from) => ({ from }));
const BY_USER = { from: 120, via: "" };

const LINES: readonly [what: string, steps: readonly Step[], expected: string][] = [
  ["three early renewals by found certificates", EARLY, "agent"],
  ["two of them", EARLY.slice(1), "unknown"],
  [
    "renewals a few days after two thirds, as timers make them",
    [0, 62, 124, 186].map((from) => ({ from })),
    "agent",
  ],
  ["one of three that was late", [0, 60, 124, 204].map((from) => ({ from })), "unknown"],
  ["one of three that a user entered", EARLY.with(2, BY_USER), "unknown"],
  ["the oldest one entered by a user", EARLY.with(0, { from: 0, via: "" }), "agent"],
];
for (const [what, steps, expected] of LINES) {
  Deno.test(`automation after ${what} is ${expected}, in whatever order the successors are set`, async () => {
    await using app = await testApp();
    const ids = await line(app, steps);
    await link(app, ids);
    assert.equal(await automationOf(app, ids.at(-1)), expected);
    const others = await line(app, steps, "O=Other");
    for (let index = others.length - 1; index > 0; index--) {
      await link(app, others.slice(index - 1, index + 1));
    }
    assert.equal(await automationOf(app, others.at(-1)), expected);
  });
}

Deno.test("early renewals with an ACME provider are ACME; other reasons than renewal do not count", async () => {
  await using app = await testApp();
  const acme = await line(app, EARLY, "CN=R11,O=Let's Encrypt,C=US");
  await link(app, acme);
  assert.equal(await automationOf(app, acme[3]), "acme");
  const reissued = await line(app, EARLY);
  await link(app, reissued, "reissue");
  assert.equal(await automationOf(app, reissued[3]), "unknown");
});

Deno.test("a link that is removed is not counted any more, nor one whose certificates get other dates", async () => {
  await using app = await testApp();
  const client = await app.as("superuser");
  const ids = await line(app, EARLY);
  await link(app, ids);
  await call(client, certificate(ids[0] ?? 0), "PATCH", { replaced_by: null });
  assert.equal(await automationOf(app, ids[3]), "unknown");
  await link(app, ids.slice(0, 2));
  assert.equal(await automationOf(app, ids[3]), "agent");
  await call(client, certificate(ids[1] ?? 0), "PATCH", { valid_from: at(80) });
  assert.equal(await automationOf(app, ids[3]), "unknown");
});

Deno.test("a user's word counts most, then the flag, then the folder; unknown gives the decision back", async () => {
  await using app = await testApp();
  const client = await app.as("superuser");
  const via = "agent:web1 /etc/letsencrypt/live/www.line.example/fullchain.pem";
  const [id = 0] = await line(app, [{ from: 0, via }]);
  const [other = 0] = await line(app, [{ from: 0, via: "agent:web1 /etc/ssl/www.pem" }], "O=Other");
  assert.deepEqual([await automationOf(app, id), await automationOf(app, other)], ["acme", "unknown"]);
  await call(client, certificate(other), "PATCH", { acme_auto_renewal: true });
  assert.equal(await automationOf(app, other), "acme");
  await call(client, certificate(other), "PATCH", { automation: "manual" });
  assert.equal(await automationOf(app, other), "manual");
  await call(client, certificate(other), "PATCH", { automation: "unknown" });
  assert.equal(await automationOf(app, other), "acme");
});

Deno.test("a form that sends the automation that was found does not fix it", async () => {
  await using app = await testApp();
  const client = await app.as("superuser");
  const [id = 0] = await line(app, [{ from: 0, via: "" }]);
  await call(client, certificate(id), "PATCH", { acme_auto_renewal: true });
  await call(client, certificate(id), "PATCH", { automation: "acme", description: "Front" });
  await call(client, certificate(id), "PATCH", { acme_auto_renewal: false });
  assert.equal(await automationOf(app, id), "unknown");
});

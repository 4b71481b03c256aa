import assert from "node:assert/strict";
import { sql } from "drizzle-orm";
import ICAL from "ical.js";
import { clearActorCache } from "../../../../src/auth/mod.ts";
import { DAY_MS } from "../../../../src/base/clock.ts";
import { MAX_CALENDAR_EVENTS } from "../../../../src/base/limits.ts";
import { calendarFeeds } from "../../../../src/domain/certificates/calendar/resource.ts";
import { readCalendar } from "../../../../src/domain/certificates/calendar/read_calendar.ts";
import { createObject } from "../../../../src/resource/mod.ts";
import { type Actor, managerOf, readerOf, stranger } from "../../../support/actors.ts";
import { type Client, type TestApp, testApp } from "../../../support/app.ts";
import { callJson } from "../../../support/call_json.ts";
import { calendar, certificate, PATHS } from "../../../support/paths.ts";
import { refusal } from "../../../support/refusals.ts";
import { seed } from "../../../support/seed.ts";
import { metadata, storeCertificates } from "../../../support/stored.ts";
import { changeLog } from "../../../support/change_log.ts";

interface FeedOptions {
  readonly filter?: string;
  readonly alarm_days?: number;
}

/** Creates a feed as an actor, and returns its id, its token and their client. */
async function subscribe(
  app: TestApp,
  actor: Actor,
  options: FeedOptions = {},
): Promise<{ id: number; token: string; client: Client }> {
  const client = await app.as(actor);
  const feed = { name: "Expiries", filter: "", ...options };
  const { id, token } = await callJson(client, PATHS.feeds, "POST", feed);
  return { id, token, client };
}

/** Reads a calendar like a calendar program, and returns its events by their summaries, and its properties. */
async function read(
  app: TestApp,
  token: string,
): Promise<{ events: Map<string, ICAL.Event>; about: string }> {
  const nobody = await app.as("nobody");
  const response = await nobody(calendar(token));
  const text = await response.text();
  assert.equal(response.status, 200, text);
  const component = new ICAL.Component(ICAL.parse(text));
  const events = component.getAllSubcomponents("vevent").map((one) => new ICAL.Event(one));
  return {
    events: new Map(events.map((event) => [event.summary, event])),
    about: String(component.getFirstPropertyValue("description")),
  };
}

async function status(app: TestApp, token: string): Promise<number> {
  const response = await (await app.as("nobody"))(calendar(token));
  await response.body?.cancel();
  return response.status;
}

Deno.test("a calendar has the certificates that its user may view, each on its last day", async () => {
  await using app = await testApp();
  const { token } = await subscribe(app, readerOf("acme"), { alarm_days: 3 });
  const { events, about } = await read(app, token);
  assert.deepEqual(
    [...events].map(([summary, event]) => `${event.startDate} ${summary}`),
    [
      "2026-06-14 old.acme.example expires",
      "2026-06-29 api.acme.example expires",
      "2026-07-15 shop.acme.example expires",
      "2026-07-16 Www.Acme.example expires",
      ...[...events.keys()].slice(4).map((summary) => `${events.get(summary)?.startDate} ${summary}`),
    ],
  );
  assert.equal(events.size, 5);
  assert.equal(about, "All expiries since 2026-05-16: 5.");
  const event = events.get("api.acme.example expires");
  assert.equal(
    event?.component.getFirstPropertyValue("url"),
    `https://certmgr.example/certificates/${seed.certificates.acmeCritical}/`,
  );
  assert.equal(
    event?.description,
    "Valid to: 2026-06-29T23:59:59Z\nStatus: active\nIssuer: C=US, O=Metadata CA, CN=Issuer 1\n" +
      "Serial number: 01:00:02\nTenant: Acme Corp",
  );
  assert.match(event.uid, /^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  assert.equal(new Set([...events.values()].map((one) => one.uid)).size, events.size);
  const alarm = event.component.getFirstSubcomponent("valarm");
  assert.equal(String(alarm?.getFirstPropertyValue("trigger")), "-P3D");
});

Deno.test("objects that the user may not view are neither shown nor named, and do not match filters", async () => {
  await using app = await testApp();
  const actor: Actor = {
    username: "narrow",
    grants: [{ types: ["certmgr.certificate"], actions: ["view"], constraints: { tenant__slug: "globex" } }],
  };
  const { token } = await subscribe(app, actor);
  const { events } = await read(app, token);
  assert(events.size > 0 && [...events.keys()].every((summary) => summary.includes("globex")));
  for (const event of events.values()) assert.doesNotMatch(event.description, /Tenant/);
  const { token: filtered } = await subscribe(app, actor, { filter: "tenant=globex" });
  assert.equal((await read(app, filtered)).events.size, 0, "The tenant is hidden from them");
});

Deno.test("a filter narrows a calendar as it narrows a list", async () => {
  await using app = await testApp();
  const { token } = await subscribe(app, readerOf("acme"), { filter: "?status=active&tag=prod&san__ic=api" });
  assert.deepEqual([...(await read(app, token)).events.keys()], ["api.acme.example expires"]);
});

Deno.test("a feed without a filter leaves out replaced and revoked certificates", async () => {
  await using app = await testApp();
  const client = await app.as(readerOf("acme"));
  const { token } = await callJson(client, PATHS.feeds, "POST", { name: "All" });
  const { events } = await read(app, token);
  assert(events.has("old.acme.example expires"));
  assert(!events.has("Www.Acme.example expires"));
});

Deno.test("revoked permissions empty the calendar, and the calendar of an inactive user does not exist", async () => {
  await using app = await testApp();
  const { token } = await subscribe(app, readerOf("acme"));
  await app.database.write((tx) => tx.run(sql`DELETE FROM object_permissions WHERE name = 'of an actor'`));
  clearActorCache(app.database);
  assert.equal((await read(app, token)).events.size, 0);
  await app.database.write((tx) =>
    tx.run(sql`UPDATE users SET is_active = 0 WHERE username = 'reader-acme'`)
  );
  clearActorCache(app.database);
  assert.equal(await status(app, token), 404);
});

Deno.test("a deleted feed is revoked at once, and so are the feeds of a deleted user", async () => {
  await using app = await testApp();
  const actor = readerOf("acme");
  const { id, token, client } = await subscribe(app, actor);
  const { token: other } = await subscribe(app, actor);
  const response = await client(`${PATHS.feeds}${id}/`, { method: "DELETE" });
  assert.equal(response.status, 204);
  assert.deepEqual([await status(app, token), await status(app, other)], [404, 200]);
  const { results } = await callJson(client, PATHS.feeds);
  const superuser = await app.as("superuser");
  const deleted = await superuser(`${PATHS.users}${results[0].user.id}/`, { method: "DELETE" });
  assert.equal(deleted.status, 204, await deleted.text());
  assert.equal(await status(app, other), 404);
});

Deno.test("nobody can create a feed that shows what another user may view", async () => {
  await using app = await testApp();
  const client = await app.as(stranger());
  const body = { name: "Mine", user: seed.users.root, user_id: seed.users.root };
  const made = await callJson(client, PATHS.feeds, "POST", body);
  assert.equal(made.user.username, "stranger");
  assert.equal((await read(app, made.token)).events.size, 0);
  const refused = await refusal(
    createObject({ ctx: app.ctx, resource: calendarFeeds, input: { name: "x" } }),
  );
  assert.deepEqual(Object.keys(refused.public), ["user"]);
});

Deno.test("an event keeps its identity when its certificate, or the service's address, changes", async () => {
  await using app = await testApp();
  const { token, client } = await subscribe(app, managerOf("acme"));
  const before = (await read(app, token)).events.get("api.acme.example expires");
  app.clock.advance(DAY_MS);
  const patched = await client(certificate(seed.certificates.acmeCritical), {
    method: "PATCH",
    body: { common_name: "api2.acme.example", valid_to: "2026-08-01" },
  });
  assert.equal(patched.status, 200, await patched.text());
  const nobody = await app.as("nobody");
  const text = await (await nobody(`https://other.example${calendar(token)}`)).text();
  const events = new ICAL.Component(ICAL.parse(text)).getAllSubcomponents("vevent");
  const after = events.map((one) => new ICAL.Event(one)).find((one) => one.summary.startsWith("api2"));
  assert.equal(after?.uid, before?.uid);
  assert.equal(String(after?.startDate), "2026-08-01");
  const stamps = [before, after].map((one) => String(one?.component.getFirstPropertyValue("dtstamp")));
  assert.deepEqual(stamps, [stamps[0], "2026-06-16T12:00:00Z"]);
});

Deno.test("an entity tag is valid until the calendar changes", async () => {
  await using app = await testApp();
  const { token, client } = await subscribe(app, managerOf("acme"));
  const nobody = await app.as("nobody");
  const versions: (string | null)[] = [];
  const known = async (etag: string | null): Promise<number> => {
    const response = await nobody(calendar(token), { headers: { "if-none-match": `"x", ${etag}` } });
    versions.push(response.headers.get("etag"));
    await response.body?.cancel();
    return response.status;
  };
  assert.equal(await known("W/none"), 200);
  app.clock.advance(3_600_000);
  assert.equal(await known(versions[0] ?? null), 304);
  const path = certificate(seed.certificates.acmeCritical);
  await (await client(path, { method: "PATCH", body: { common_name: "new.acme.example" } })).body?.cancel();
  assert.equal(await known(versions[0] ?? null), 200);
  assert.notEqual(versions[2], versions[0]);
});

Deno.test("expiries are shown for another month", async () => {
  await using app = await testApp();
  await storeCertificates(app, [
    metadata(1, { common_name: "gone.example", valid_to: "2026-05-15T23:59:59Z" }),
    metadata(2, { common_name: "late.example", valid_to: "2026-05-16T00:00:00Z" }),
    metadata(3, { common_name: "ever.example", valid_to: "9999-12-31T23:59:59Z" }),
  ]);
  const { token } = await subscribe(app, {
    username: "all",
    grants: [{ types: ["certmgr.certificate"], actions: ["view"] }],
  });
  const { events } = await read(app, token);
  assert(!events.has("gone.example expires"));
  assert(events.has("late.example expires"));
  assert.equal(String(events.get("ever.example expires")?.startDate), "9999-12-31");
});

Deno.test("a truncated calendar has the next expiries and shows their total number", async () => {
  await using app = await testApp();
  const ids = JSON.stringify(Array.from({ length: MAX_CALENDAR_EVENTS + 5 }, (_, index) => index));
  await app.database.write((tx) =>
    tx.run(
      sql`INSERT INTO certificates (common_name, serial_number, issuer, valid_from, valid_to,
        fingerprint_sha256, algorithm, created, last_updated)
        SELECT 'many-' || value, 'm' || value, 'many', 0, ${app.clock.now()} + value * ${DAY_MS},
          value, 'rsa', 0, 0 FROM json_each(${ids})`,
    )
  );
  const { token } = await subscribe(app, {
    username: "all",
    grants: [{ types: ["certmgr.certificate"], actions: ["view"] }],
  }, { filter: "issuer=many" });
  const statements = app.database.statements;
  const { events, about } = await read(app, token);
  // One statement measures the frequency of the filter's text.
  assert(app.database.statements - statements <= 7, `${app.database.statements - statements} statements`);
  assert.equal(events.size, MAX_CALENDAR_EVENTS);
  assert(events.has("many-0 expires") && !events.has(`many-${MAX_CALENDAR_EVENTS} expires`));
  assert.equal(
    about,
    "The first 1000 of 1005 expiries since 2026-05-16. Narrow the filter of this feed to see the others.",
  );
});

Deno.test("hostile names stay inside their property of the calendar", async () => {
  await using app = await testApp();
  const name = "x\r\nEND:VEVENT\r\nBEGIN:VEVENT\r\nUID:forged\\n;,";
  await storeCertificates(app, [
    metadata(1, { common_name: name, issuer: `${"🔒".repeat(5_000)}`, valid_to: "2026-07-01" }),
  ]);
  const { token } = await subscribe(app, {
    username: "all",
    grants: [{ types: ["certmgr.certificate"], actions: ["view"] }],
  }, { filter: "valid_to=2026-07-01" });
  const { events } = await read(app, token);
  const [event] = events.values();
  assert.equal(events.size, 1);
  assert.equal(event?.summary, `${name.replaceAll("\r\n", "\n")} expires`);
  assert(event.description.includes(`Issuer: ${"🔒".repeat(200)}…\n`));
});

Deno.test("the secret of a calendar is never in the log, whatever the result of the request", async () => {
  await using app = await testApp();
  const { token, client } = await subscribe(app, readerOf("acme"));
  const nobody = await app.as("nobody");
  const wrong = "Wrong".padEnd(40, "0");
  const paths = [calendar(token), `${calendar(token)}&x=1`, `${calendar(token)}/`, calendar(wrong)]
    .concat(`${PATHS.certificates}calendar.ics/?token=${token}`, calendar(`${token}%00`));
  for (const path of paths) {
    for (const method of ["GET", "HEAD", "POST", "OPTIONS"]) {
      await (await nobody(path, { method })).body?.cancel();
    }
  }
  await app.database.write((tx) => tx.run(sql`UPDATE calendar_feeds SET filter = 'nonsense=1'`));
  await (await nobody(calendar(token))).body?.cancel();
  await app.database.write((tx) => tx.run(sql`ALTER TABLE certificates RENAME TO lost`));
  await (await client(calendar(token))).body?.cancel();
  const log = JSON.stringify(app.log);
  assert(app.log.length > 20, `Only ${app.log.length} lines`);
  assert(log.includes("calendar.ics"));
  for (const secret of [token, wrong]) assert(!log.includes(secret), "A secret is in the log");
});

Deno.test("a filter that an upgrade has made invalid is reported in the calendar, which has no certificates", async () => {
  await using app = await testApp();
  const { token } = await subscribe(app, readerOf("acme"));
  await app.database.write((tx) => tx.run(sql`UPDATE calendar_feeds SET filter = 'gone=1'`));
  const refused = await refusal(readCalendar({ deps: app.ctx, token }));
  assert.deepEqual([refused.code, Object.keys(refused.public)], ["invalid", ["gone"]]);
});

Deno.test("the reading of a calendar is recorded once an hour, without a change record", async () => {
  await using app = await testApp();
  const { id, token, client } = await subscribe(app, readerOf("acme"));
  const lastUsed = async (): Promise<string | null> =>
    (await callJson(client, `${PATHS.feeds}${id}/`)).last_used;
  assert.equal(await lastUsed(), null);
  await read(app, token);
  assert.equal(await lastUsed(), "2026-06-15T12:00:00Z");
  const changes = (): Promise<unknown[]> => app.database.all(sql`SELECT id FROM object_changes`);
  const before = await changes();
  app.clock.advance(3_599_999);
  await read(app, token);
  assert.equal(await lastUsed(), "2026-06-15T12:00:00Z");
  app.clock.advance(1);
  await read(app, token);
  assert.equal(await lastUsed(), "2026-06-15T13:00:00Z");
  assert.deepEqual(await changes(), before);
});

Deno.test("the database has no secret of a feed, only its hash", async () => {
  await using app = await testApp();
  const { token } = await subscribe(app, readerOf("acme"));
  const feeds = await app.database.all(sql`SELECT * FROM calendar_feeds`);
  assert(!JSON.stringify([feeds, await changeLog(app.database)]).includes(token));
});

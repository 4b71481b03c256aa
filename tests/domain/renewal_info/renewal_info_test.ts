/** Renewal information of authorities that are right, wrong, slow to change their minds, or hostile (RFC 9773). */

import assert from "node:assert/strict";
import { sql } from "drizzle-orm";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "../../../src/base/clock.ts";
import { deriveFromChanges } from "../../../src/domain/notices/derive_events.ts";
import { refreshDue } from "../../../src/domain/renewal_info/mod.ts";
import { certIdOf, directoryOf, pauseOf, readWindow } from "../../../src/domain/renewal_info/window.ts";
import { type TestApp, testApp } from "../../support/app.ts";
import { type NameInput, TestCa } from "../../support/test_ca/mod.ts";
import { browserOf, CHIEF } from "../../web/imports/browser.ts";
import { empty, type ListHost, sending, startHost, store } from "../revocation/support.ts";

const BASE = "/api/plugins/certmgr/";
const ca = await TestCa.root({ cn: "ACME CA", keyUsage: ["keyCertSign", "cRLSign"] });

/** An authority with a directory, and a certificate that it issued. */
interface Setup extends AsyncDisposable {
  readonly app: TestApp;
  readonly host: ListHost;
  readonly id: number;
  /** Path of the certificate's renewal information on the host. */
  readonly path: string;
}

async function setUp(): Promise<Setup> {
  const app = await testApp();
  const host = startHost();
  await empty(app);
  host.answers.set("/directory", () => Response.json({ renewalInfo: `${host.origin}/info` }));
  const admin = await app.as("superuser");
  const authority = await admin(`${BASE}certificate-authorities/`, {
    method: "POST",
    body: { name: "ACME CA", pem_content: ca.pem, acme_directory_url: `${host.origin}/directory` },
  });
  assert.equal(authority.status, 201, await authority.text());
  const leaf = await ca.issue({ cn: "a.example" });
  const id = await store(app, leaf.pem, ca.pem);
  return {
    app,
    host,
    id,
    path: `/info/${certIdOf(leaf.certificate)}`,
    async [Symbol.asyncDispose](): Promise<void> {
      await app[Symbol.asyncDispose]();
      await host[Symbol.asyncDispose]();
    },
  };
}

const at = (time: number): string => new Date(time).toISOString().replace(/\.\d+/, "");

/** Answers with a window that begins and ends so many days from the clock's present. */
function windowIn(app: TestApp, [from, to]: readonly [number, number], more: object = {}): () => Response {
  const now = app.clock.now();
  const suggestedWindow = { start: at(now + from * DAY_MS), end: at(now + to * DAY_MS) };
  return () => Response.json({ suggestedWindow, ...more }, { headers: { "retry-after": "21600" } });
}

async function refreshed({ app, id }: Setup): Promise<Record<string, unknown>> {
  await refreshDue({ ctx: sending(app) });
  const admin = await app.as("superuser");
  const fields = "renewal_window_start,renewal_window_end,renewal_explanation_url,renewal_info_checked_at";
  return await (await admin(`${BASE}certificates/${id}/?fields=${fields}`)).json();
}

async function due({ app }: Setup, value = true): Promise<number> {
  const admin = await app.as("superuser");
  return (await (await admin(`${BASE}certificates/?renewal_due=${value}`)).json()).count;
}

const hex = (text: string): Uint8Array => Uint8Array.fromHex(text.replaceAll(":", ""));

Deno.test("the identifier is that of the example in RFC 9773, and needs a key identifier", async () => {
  const { certificate } = await ca.issue({ cn: "x.example" });
  const example = {
    ...certificate,
    authorityKeyId: hex("69:88:5B:6B:87:46:40:41:E1:B3:7B:84:7B:A0:AE:2C:DE:01:C8:D4"),
    serial: hex("00:87:65:43:21"),
  };
  assert.equal(certIdOf(example), "aYhba4dGQEHhs3uEe6CuLN4ByNQ.AIdlQyE");
  const { authorityKeyId: _, ...without } = certificate;
  assert.equal(certIdOf(without), undefined);
});

Deno.test("Let's Encrypt's issuers have a directory without any setting, names that contain theirs have none", async () => {
  const of = async (subject: NameInput): Promise<string> => {
    const issuer = await TestCa.root({ subject });
    return directoryOf((await issuer.issue({ cn: "x.example" })).certificate);
  };
  assert.equal(await of("CN=R13,O=Let's Encrypt,C=US"), "https://acme-v02.api.letsencrypt.org/directory");
  assert.equal(await of("CN=E7,O=Not Let's Encrypt,C=US"), "");
  assert.equal(await of([["CN", "x, O=Let's Encrypt"], ["C", "US"]]), "");
});

Deno.test("Retry-After is at least a minute and at most a day; six hours without one that can be read", () => {
  const now = Date.UTC(2026, 5, 15);
  for (
    const [header, expected] of [
      [null, 6 * HOUR_MS],
      ["", 6 * HOUR_MS],
      ["soon", 6 * HOUR_MS],
      ["-5", 6 * HOUR_MS],
      ["0", MINUTE_MS],
      ["59", MINUTE_MS],
      ["3600", HOUR_MS],
      ["86401", DAY_MS],
      ["99999999999999999999", DAY_MS],
      ["Mon, 15 Jun 2026 02:00:00 GMT", 2 * HOUR_MS],
      ["Sun, 14 Jun 2026 02:00:00 GMT", MINUTE_MS],
      ["Tue, 15 Jun 2027 02:00:00 GMT", DAY_MS],
    ] as const
  ) assert.equal(pauseOf(header, now), expected, String(header));
});

Deno.test("windows: times with offsets, an end after the start, an explanation that is a web address", () => {
  const read = (start: unknown, end: unknown, more: object = {}): unknown =>
    readWindow(JSON.stringify({ suggestedWindow: { start, end }, ...more }));
  const [start, end] = ["2026-06-15T00:00:00Z", "2026-06-17T02:00:00+02:00"];
  const window = { start: Date.UTC(2026, 5, 15), end: Date.UTC(2026, 5, 17), explanationUrl: "" };
  assert.deepEqual(read(start, end), window);
  const explanationURL = "https://ca.example/why?x=1";
  assert.deepEqual(read(start, end, { explanationURL }), { ...window, explanationUrl: explanationURL });
  for (
    const hostile of [
      "javascript:alert(1)",
      "data:text/html,x",
      " https://ca.example",
      `https://ca.example/${"x".repeat(500)}`,
      7,
      {},
    ]
  ) {
    assert.deepEqual(read(start, end, { explanationURL: hostile }), window, String(hostile));
  }
  for (
    const [from, to] of [
      [end, start],
      [start, start],
      [start, null],
      ["yesterday", end],
      ["2026-06-15", end],
      [1, 2],
    ]
  ) {
    assert.equal(read(from, to), undefined, `${from} ${to}`);
  }
  for (const text of ["", "[]", "null", "{", '{"suggestedWindow":[]}']) {
    assert.equal(readWindow(text), undefined, text);
  }
});

Deno.test("a certificate gets its window, is due from its start until it has a successor, and one request serves until Retry-After", async () => {
  await using setup = await setUp();
  const { app, host, id, path } = setup;
  host.answers.set(path, windowIn(app, [2, 4], { explanationURL: "https://ca.example/why" }));
  const now = app.clock.now();
  assert.deepEqual(await refreshed(setup), {
    renewal_window_start: at(now + 2 * DAY_MS),
    renewal_window_end: at(now + 4 * DAY_MS),
    renewal_explanation_url: "https://ca.example/why",
    renewal_info_checked_at: at(now),
  });
  assert.deepEqual([await due(setup), await due(setup, false)], [0, 1]);
  app.clock.advance(6 * HOUR_MS - MINUTE_MS);
  await refreshed(setup);
  assert.deepEqual(host.requests, ["GET /directory", `GET ${path}`]);
  app.clock.advance(2 * MINUTE_MS);
  await refreshed(setup);
  assert.deepEqual(host.requests, ["GET /directory", `GET ${path}`, `GET ${path}`]);
  app.clock.advance(2 * DAY_MS);
  assert.deepEqual([await due(setup), await due(setup, false)], [1, 0]);
  // Sessions end meanwhile.
  const page = async (path: string): Promise<string> => (await (await browserOf(app, CHIEF)).get(path)).html;
  assert.match(await page(`/certificates/${id}/`), /Renew it now\./);
  const passed = "renewal window passed";
  assert(!(await page("/certificates/")).includes(passed));
  app.clock.advance(3 * DAY_MS);
  assert((await page("/certificates/")).includes(passed));
  const detail = await page(`/certificates/${id}/`);
  assert(detail.includes(passed) && detail.includes("Its renewal window has passed"), detail);
  const successor = await ca.issue({ cn: "a.example" });
  const admin = await app.as("superuser");
  const renewed = await admin(`${BASE}certificates/${id}/renew/`, {
    method: "POST",
    body: { pem_content: successor.pem },
  });
  assert.ok(renewed.ok, await renewed.text());
  assert.equal(await due(setup), 0);
  assert(!(await page("/certificates/?show=all")).includes(passed));
});

Deno.test("a window that begins a day earlier is a change with its reason and an event; one that begins later is not", async () => {
  await using setup = await setUp();
  const { app, host, id, path } = setup;
  const moves = async (): Promise<number> =>
    (await app.database.all(sql`SELECT 1 FROM object_changes WHERE object_id = ${id}`)).length;
  host.answers.set(path, windowIn(app, [20, 22]));
  await refreshed(setup);
  const before = await moves();
  for (const days of [20, 25, 24.5] as const) {
    app.clock.advance(7 * HOUR_MS);
    host.answers.set(path, windowIn(app, [days, days + 2]));
    await refreshed(setup);
  }
  assert.equal(await moves(), before);
  app.clock.advance(7 * HOUR_MS);
  host.answers.set(path, windowIn(app, [1, 2], { explanationURL: "https://ca.example/incident" }));
  assert.equal((await refreshed(setup)).renewal_window_start, at(app.clock.now() + DAY_MS));
  assert.equal(await moves(), before + 1);
  const admin = await app.as("superuser");
  const { results: [change] } = await (await admin(
    `/api/core/object-changes/?changed_object_type=certmgr.certificate&changed_object_id=${id}&limit=1`,
  )).json();
  assert.match(change.message, /earlier renewal.*https:\/\/ca\.example\/incident/);
  await app.database.write((tx) =>
    tx.run(sql`UPDATE webhooks SET enabled = 1, object_types = '["certmgr.certificate"]',
      events = '["certificate.renewal_window_moved"]' WHERE id = 1`)
  );
  await deriveFromChanges(app);
  const outbox = sql`SELECT object_id AS id FROM outbox WHERE event = 'certificate.renewal_window_moved'`;
  assert.deepEqual(await app.database.all(outbox), [{ id }]);
  const events = await app.database.all(
    sql`SELECT event, detail FROM notice_events WHERE object_id = ${id} AND event LIKE '%window%'`,
  );
  assert.deepEqual(events, [{
    event: "certificate_renewal_window_moved",
    detail: at(app.clock.now() + DAY_MS),
  }]);
});

for (
  const [name, answer] of [
    ["an error", () => new Response("{}", { status: 500 })],
    ["too many requests", () => new Response("{}", { status: 429, headers: { "retry-after": "1" } })],
    ["no JSON", () => new Response("<html>")],
    [
      "a window that ends before it begins",
      () =>
        Response.json({ suggestedWindow: { start: "2026-07-02T00:00:00Z", end: "2026-07-01T00:00:00Z" } }),
    ],
    ["too much", () => new Response(" ".repeat(70_000))],
    ["a redirect to another host", () => Response.redirect("http://localhost:1/")],
    ["a redirect to itself", (request: Request) => Response.redirect(request.url)],
  ] as const
) {
  Deno.test(`a host that sends ${name} leaves the window as it was, is asked less and less, and after a week it is dropped`, async () => {
    await using setup = await setUp();
    const { app, host, path } = setup;
    host.answers.set(path, windowIn(app, [20, 22]));
    const known = await refreshed(setup);
    assert.notEqual(known.renewal_window_start, null);
    host.answers.set(path, answer);
    host.requests.length = 0;
    for (let hours = 0; hours < 6 * 24; hours += 6) {
      app.clock.advance(6 * HOUR_MS + MINUTE_MS);
      assert.deepEqual(await refreshed(setup), known);
    }
    const asked = host.requests.filter((one) => one === `GET ${path}`).length;
    assert.ok(asked >= 3 && asked <= 24, `${asked} requests`);
    for (let day = 0; day < 3; day++) {
      app.clock.advance(DAY_MS + MINUTE_MS);
      await refreshed(setup);
    }
    assert.equal((await refreshed(setup)).renewal_window_start, null);
  });
}

Deno.test("a certificate that the authority does not know has no window any more, and neither has another PEM", async () => {
  await using setup = await setUp();
  const { app, host, id, path } = setup;
  host.answers.set(path, windowIn(app, [20, 22]));
  await refreshed(setup);
  host.answers.delete(path);
  app.clock.advance(7 * HOUR_MS);
  assert.equal((await refreshed(setup)).renewal_window_start, null);
  host.answers.set(path, windowIn(app, [20, 22]));
  app.clock.advance(DAY_MS + MINUTE_MS);
  assert.notEqual((await refreshed(setup)).renewal_window_start, null);
  await app.database.write((tx) =>
    tx.run(sql`UPDATE certificates SET fingerprint_sha256 = ${"AB".repeat(32)} WHERE id = ${id}`)
  );
  const [row] = await app.database.all<{ start: number | null }>(
    sql`SELECT renewal_window_start AS start FROM certificates WHERE id = ${id}`,
  );
  assert.equal(row?.start, null);
});

Deno.test("certificates that are not in use, or whose authority has no directory, are not asked about until they are", async () => {
  await using setup = await setUp();
  const { app, host, id, path } = setup;
  host.answers.set(path, windowIn(app, [20, 22]));
  const admin = await app.as("superuser");
  const patch = async (target: string, body: object): Promise<void> => {
    const response = await admin(`${BASE}${target}`, { method: "PATCH", body });
    assert.equal(response.status, 200, await response.text());
  };
  const { results: [authority] } = await (await admin(`${BASE}certificate-authorities/?name=ACME CA`)).json();
  const at = `certificate-authorities/${authority.id}/`;
  await patch(at, { acme_directory_url: "" });
  assert.equal((await refreshed(setup)).renewal_window_start, null);
  assert.deepEqual(host.requests, []);
  await patch(at, { acme_directory_url: `${host.origin}/directory` });
  await patch(`certificates/${id}/`, { status: "revoked" });
  assert.equal((await refreshed(setup)).renewal_window_start, null);
  assert.deepEqual(host.requests, []);
  const statements = app.database.statements;
  await refreshDue({ ctx: sending(app) });
  assert.equal(app.database.statements - statements, 1);
  await patch(`certificates/${id}/`, { status: "active" });
  assert.notEqual((await refreshed(setup)).renewal_window_start, null);
});

Deno.test("a directory that is wrong, or on a network that is not allowed, changes nothing; off asks nobody", async () => {
  await using setup = await setUp();
  const { app, host, path } = setup;
  host.answers.set(path, windowIn(app, [20, 22]));
  for (
    const content of [
      "",
      "[]",
      '{"renewalInfo":"file:///etc/passwd"}',
      '{"renewalInfo":"http://localhost:1/"}',
      "{}",
    ]
  ) {
    host.answers.set("/directory", () => new Response(content));
    app.clock.advance(2 * DAY_MS);
    assert.equal((await refreshed(setup)).renewal_window_start, null, content);
  }
  host.answers.set("/directory", () => Response.json({ renewalInfo: `${host.origin}/info` }));
  host.requests.length = 0;
  app.clock.advance(2 * DAY_MS);
  const ctx = sending(app);
  const { settings } = ctx;
  await refreshDue({ ctx: { ...ctx, settings: { ...settings, renewalInfo: "off" } } });
  await refreshDue({
    ctx: { ...ctx, settings: { ...settings, revocation: { ...settings.revocation, allowedNetworks: [] } } },
  });
  assert.deepEqual(host.requests, []);
  app.clock.advance(2 * DAY_MS);
  assert.notEqual((await refreshed(setup)).renewal_window_start, null);
});

Deno.test("a slow server is asked about some certificates, and ten minutes later about the others", async () => {
  await using setup = await setUp();
  const { app, host, path } = setup;
  const leaves = [await ca.issue({ cn: "b.example" }), await ca.issue({ cn: "c.example" })];
  for (const { pem } of leaves) await store(app, pem, ca.pem);
  const paths = [path, ...leaves.map(({ certificate }) => `/info/${certIdOf(certificate)}`)];
  for (const one of paths) {
    const answer = windowIn(app, [20, 22]);
    host.answers.set(one, () => {
      app.clock.advance(6_000);
      return answer();
    });
  }
  await refreshDue({ ctx: sending(app) });
  assert.equal(host.requests.length, 3);
  app.clock.advance(600_000);
  await refreshDue({ ctx: sending(app) });
  assert.deepEqual(
    host.requests.toSorted(),
    ["GET /directory", ...paths.map((one) => `GET ${one}`)].toSorted(),
  );
});

/** Responses to notices by any interface are in the history of the certificate, with their user. */

import assert from "node:assert/strict";
import { sql } from "drizzle-orm";
import { DAY_MS, formatDate } from "../../../src/base/clock.ts";
import { linkKey, noticeLink } from "../../../src/domain/notices/links.ts";
import { granted } from "../../support/actors.ts";
import { ORIGIN, type TestApp, testApp } from "../../support/app.ts";
import { callJson } from "../../support/call_json.ts";
import { certificate } from "../../support/paths.ts";
import { seed } from "../../support/seed.ts";
import { browserOf, textOf } from "../../web/imports/browser.ts";
import { changeLog } from "../../support/change_log.ts";

const ID = seed.certificates.acmeCritical;
const PAGE = `/certificates/${ID}/`;

/** Returns the change records about the certificate's reminders, oldest first. */
async function recorded({ database }: TestApp): Promise<unknown[][]> {
  const rows = (await changeLog(database)).filter(({ object_type, object_id, action }) =>
    object_type === "certmgr.certificate" && object_id === ID && action === "update"
  );
  return rows.map(({ username, prechange, postchange, message }) => {
    const [before, after] = [JSON.parse(String(prechange)), JSON.parse(String(postchange))];
    // Nothing else of the certificate has changed.
    assert.deepEqual({ ...before, reminders: "" }, { ...after, reminders: "" });
    return [username, before.reminders, after.reminders, message];
  });
}

Deno.test("responses by page, API and link of a message are changes of the certificate, by the person who responded", async () => {
  await using app = await testApp();
  const browser = await browserOf(app);
  const acted = await browser.post(`${PAGE}notices/`, { action: "acknowledge", reason: "Carol renews it" });
  assert.equal(acted.status, 303);
  const client = await app.as(
    granted([{ types: ["certmgr.certificate"], actions: ["view", "acknowledge"] }]),
  );
  await callJson(client, certificate(ID, "snooze/"), "POST", { until: "2026-06-20", reason: "" });
  const [alice] = await app.database.all<{ id: number; valid_to: number }>(
    sql`SELECT users.id, certificates.valid_to FROM users, certificates
      WHERE users.username = 'alice' AND certificates.id = ${ID}`,
  );
  assert.ok(alice !== undefined);
  await app.database.write(async (tx) => {
    await tx.run(
      sql`INSERT INTO object_permissions (name, object_types, actions, constraints, created, last_updated)
        VALUES ('respond', '["certmgr.certificate"]', '["view", "acknowledge"]', NULL, 0, 0)`,
    );
    await tx.run(
      sql`INSERT INTO object_permission_users (object_permission_id, user_id)
        SELECT id, ${alice.id} FROM object_permissions WHERE name = 'respond'`,
    );
  });
  const link = noticeLink(
    { certificateId: ID, validTo: alice.valid_to, userId: alice.id, now: app.clock.now() },
    await linkKey(app.database),
  );
  const form = new FormData();
  form.set("link", new URL(link, ORIGIN).searchParams.get("link") as string);
  form.set("action", "acknowledge");
  form.set("reason", "from my phone");
  const posted = await app.app.fetch(
    new Request(`${ORIGIN}/notices/respond/`, { method: "POST", body: form, headers: { origin: ORIGIN } }),
    { remoteAddr: { hostname: "192.0.2.1" } },
  );
  assert.equal(posted.status, 200, await posted.text());

  const records = await recorded(app);
  const [, second] = records as [unknown[], unknown[]];
  assert.deepEqual(records, [
    ["chief", "on", "acknowledged", "Carol renews it"],
    [second[0], "acknowledged", "snoozed until 2026-06-20T00:00:00Z", ""],
    ["alice", "snoozed until 2026-06-20T00:00:00Z", "acknowledged", "from my phone"],
  ]);
  assert.notEqual(second[0], "chief");
  const history = textOf((await browser.get(PAGE)).html);
  assert.match(
    history,
    /alice\s+Reminders changed from snoozed until 2026-06-20T00:00:00Z to acknowledged/,
  );
});

Deno.test("a response that is refused leaves no change record", async () => {
  await using app = await testApp();
  const client = await app.as("superuser");
  const refused = await client(certificate(ID, "snooze/"), { method: "POST", body: { until: "soon" } });
  assert.equal(refused.status, 400);
  assert.deepEqual(await recorded(app), []);
});

Deno.test("a page proposes a reminder in a week, at the latest on the day before the expiry, and none after that", async () => {
  await using app = await testApp();
  const [row] = await app.database.all<{ valid_to: number }>(
    sql`SELECT valid_to FROM certificates WHERE id = ${ID}`,
  );
  const proposedAt = async (days: number): Promise<string | undefined> => {
    app.clock.advance(row!.valid_to - days * DAY_MS - app.clock.now());
    const { html } = await (await browserOf(app)).get(PAGE);
    assert.match(html, /value="acknowledge"/);
    return /name="until"[^>]*value="([^"]*)"/.exec(html)?.[1];
  };
  const dayBefore = (days: number): string => formatDate(row!.valid_to - days * DAY_MS);
  assert.equal(await proposedAt(9), dayBefore(2));
  assert.equal(await proposedAt(4), dayBefore(1));
  assert.equal(await proposedAt(2), dayBefore(1));
  assert.equal(await proposedAt(1), undefined);
  assert.equal(await proposedAt(-1), undefined);
});

Deno.test("an acknowledgement and a snooze can be undone, by page and API; without either nothing changes", async () => {
  await using app = await testApp();
  const browser = await browserOf(app);
  const client = await app.as(
    granted([{ types: ["certmgr.certificate"], actions: ["view", "acknowledge"] }]),
  );
  const remind = async (): Promise<void> => {
    const answer = await callJson(client, certificate(ID, "remind/"), "POST", {});
    assert.deepEqual([answer.certificate, answer.acknowledged, answer.snoozed_until], [ID, false, null]);
  };
  await remind();
  assert.deepEqual(await recorded(app), []);
  assert.doesNotMatch((await browser.get(PAGE)).html, /Remind again<\/button>/);
  await callJson(client, certificate(ID, "acknowledge/"), "POST", {});
  assert.match((await browser.get(PAGE)).html, /Remind again<\/button>/);
  assert.equal((await browser.post(`${PAGE}notices/`, { action: "remind" })).status, 303);
  assert.doesNotMatch((await browser.get(PAGE)).html, /Acknowledged by|Remind again<\/button>/);
  await callJson(client, certificate(ID, "snooze/"), "POST", { until: "2026-06-20" });
  await remind();
  assert.deepEqual((await recorded(app)).map(([, before, after]) => [before, after]), [
    ["on", "acknowledged"],
    ["acknowledged", "on"],
    ["on", "snoozed until 2026-06-20T00:00:00Z"],
    ["snoozed until 2026-06-20T00:00:00Z", "on"],
  ]);
});

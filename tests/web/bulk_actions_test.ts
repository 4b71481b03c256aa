/** Actions on many certificates keep the list that they came from; a change of status can be undone. */

import assert from "node:assert/strict";
import { sql } from "drizzle-orm";
import { superuser } from "../support/actors.ts";
import { type TestApp, testApp } from "../support/app.ts";
import { metadata, storeCertificates } from "../support/stored.ts";
import { type Answer, type Browser, browserOf } from "./imports/browser.ts";

const LIST = "/certificates/?status=active&ordering=-valid_to&offset=0";

async function statuses(app: TestApp, ids: readonly number[]): Promise<string[]> {
  const rows = await app.database.all<{ id: number; status: string }>(
    sql`SELECT id, status FROM certificates ORDER BY id`,
  );
  return ids.map((id) => rows.find((row) => row.id === id)?.status as string);
}

const flashOf = (answer: Answer): string =>
  answer.headers.getSetCookie().find((one) => one.startsWith("certmgr_flash="))?.split(";")[0] ?? "";

async function setStatus(browser: Browser, ids: readonly number[], status: string): Promise<Answer> {
  const fields = { action: "status", status, ids: ids.map(String), back: LIST };
  const answer = await browser.post("/certificates/bulk/", fields);
  assert.equal(answer.status, 303, answer.html);
  return answer;
}

async function undoId(browser: Browser, answer: Answer): Promise<string> {
  const { html } = await browser.get(answer.location, { cookie: flashOf(answer) });
  return /name="request_id" value="([^"]*)"/.exec(html)?.[1] ?? "";
}

Deno.test("an action returns to the list with its filters and order; foreign addresses are not followed", async () => {
  await using app = await testApp();
  const ids = await storeCertificates(app, [metadata(1), metadata(2)]);
  const browser = await browserOf(app);
  assert.equal((await setStatus(browser, ids, "pending")).location, LIST);
  for (const back of ["https://evil.example/", "//evil.example/", "/users/", ""]) {
    const answer = await browser.post("/certificates/bulk/", {
      action: "validate",
      ids: String(ids[0]),
      back,
    });
    assert.equal(answer.location, "/certificates/", back);
  }
});

Deno.test("Undo gives back each certificate's own previous status, once", async () => {
  await using app = await testApp();
  const ids = await storeCertificates(app, [
    metadata(1),
    metadata(2, { status: "pending" }),
    metadata(3, { status: "revoked" }),
  ]);
  const browser = await browserOf(app);
  const id = await undoId(browser, await setStatus(browser, ids, "revoked"));
  assert.deepEqual(await statuses(app, ids), ["revoked", "revoked", "revoked"]);
  const undone = await browser.post("/certificates/undo/", { request_id: id, back: LIST });
  assert.equal(undone.location, LIST);
  assert.match(decodeURIComponent(flashOf(undone)), /2 certificates restored/);
  assert.deepEqual(await statuses(app, ids), ["active", "pending", "revoked"]);
  const again = await browser.post("/certificates/undo/", { request_id: id, back: LIST });
  assert.match(decodeURIComponent(flashOf(again)), /Nothing left to undo/);
});

Deno.test("Undo leaves certificates alone that have changed since, that another user changed, or ten minutes later", async () => {
  await using app = await testApp();
  const ids = await storeCertificates(app, [metadata(1), metadata(2)]);
  const browser = await browserOf(app);
  const id = await undoId(browser, await setStatus(browser, ids, "revoked"));
  await setStatus(browser, [ids[0] as number], "pending");
  const other = await browserOf(app, superuser({ username: "other" }));
  await other.post("/certificates/undo/", { request_id: id, back: LIST });
  assert.deepEqual(await statuses(app, ids), ["pending", "revoked"]);
  await browser.post("/certificates/undo/", { request_id: id, back: LIST });
  assert.deepEqual(await statuses(app, ids), ["pending", "active"]);
  const late = await undoId(browser, await setStatus(browser, ids, "revoked"));
  app.clock.advance(11 * 60_000);
  await browser.post("/certificates/undo/", { request_id: late, back: LIST });
  assert.deepEqual(await statuses(app, ids), ["revoked", "revoked"]);
});

Deno.test("an action on all of a list takes what its filters match, not only the page", async () => {
  await using app = await testApp();
  await app.database.write((tx) => tx.run(sql`DELETE FROM certificates`));
  const ids = await storeCertificates(
    app,
    [1, 2, 3, 4].map((serial) => metadata(serial, serial === 4 ? { status: "pending" } : {})),
  );
  const browser = await browserOf(app);
  const { html } = await browser.get("/certificates/?status=active&limit=1");
  assert.match(html, /name="all"[^>]*> All 3 of this list/);
  await browser.post("/certificates/bulk/", {
    action: "status",
    status: "revoked",
    all: "true",
    ids: String(ids[0]),
    back: "/certificates/?status=active&limit=1",
  });
  assert.deepEqual(await statuses(app, ids), ["revoked", "revoked", "revoked", "pending"]);
});

Deno.test("an unusable id of a request to undo is refused", async () => {
  await using app = await testApp();
  const browser = await browserOf(app);
  for (const request_id of ["", "x", "' OR 1=1 --", "00000000-0000-4000-8000-000000000000"]) {
    const answer = await browser.post("/certificates/undo/", { request_id });
    assert.equal(answer.status, 303);
    assert.match(flashOf(answer), /certmgr_flash=error/);
  }
});

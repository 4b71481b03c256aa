/** Actions on many certificates keep the list that they came from; changes of status and assignments can be undone. */

import assert from "node:assert/strict";
import { sql } from "drizzle-orm";
import { granted, type GrantSpec, superuser } from "../support/actors.ts";
import { type TestApp, testApp } from "../support/app.ts";
import { seed } from "../support/seed.ts";
import { lastChange } from "../support/store.ts";
import { metadata, storeCertificates } from "../support/stored.ts";
import { TestCa } from "../support/test_ca/mod.ts";
import { type Answer, type Browser, browserOf, textOf } from "./imports/browser.ts";

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
  const fields = { action: "status", status, ids: ids.map(String), back: LIST, confirmed: "yes" };
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

Deno.test("Undo restores the previous status of each certificate, once", async () => {
  await using app = await testApp();
  const ids = await storeCertificates(app, [
    metadata(1),
    metadata(2, { status: "pending" }),
    metadata(3, { status: "revoked" }),
  ]);
  const browser = await browserOf(app);
  const id = await undoId(browser, await setStatus(browser, ids, "revoked"));
  assert.deepEqual(await statuses(app, ids), ["revoked", "revoked", "revoked"]);
  const undone = await browser.post("/certificates/undo/", { action: "status", request_id: id, back: LIST });
  assert.equal(undone.location, LIST);
  assert.match(decodeURIComponent(flashOf(undone)), /2 certificates restored/);
  assert.deepEqual(await statuses(app, ids), ["active", "pending", "revoked"]);
  const again = await browser.post("/certificates/undo/", { action: "status", request_id: id, back: LIST });
  assert.match(decodeURIComponent(flashOf(again)), /Nothing left to undo/);
});

Deno.test("Undo leaves certificates alone that have changed since, that another user changed, or ten minutes later", async () => {
  await using app = await testApp();
  const ids = await storeCertificates(app, [metadata(1), metadata(2)]);
  const browser = await browserOf(app);
  const id = await undoId(browser, await setStatus(browser, ids, "revoked"));
  await setStatus(browser, [ids[0] as number], "pending");
  const other = await browserOf(app, superuser({ username: "other" }));
  await other.post("/certificates/undo/", { action: "status", request_id: id, back: LIST });
  assert.deepEqual(await statuses(app, ids), ["pending", "revoked"]);
  await browser.post("/certificates/undo/", { action: "status", request_id: id, back: LIST });
  assert.deepEqual(await statuses(app, ids), ["pending", "active"]);
  const late = await undoId(browser, await setStatus(browser, ids, "revoked"));
  app.clock.advance(11 * 60_000);
  await browser.post("/certificates/undo/", { action: "status", request_id: late, back: LIST });
  assert.deepEqual(await statuses(app, ids), ["revoked", "revoked"]);
});

Deno.test("an action on a complete list applies to all rows that match its filters, not only to the page", async () => {
  await using app = await testApp();
  await app.database.write((tx) => tx.run(sql`DELETE FROM certificates`));
  const ids = await storeCertificates(
    app,
    [1, 2, 3, 4].map((serial) => metadata(serial, serial === 4 ? { status: "pending" } : {})),
  );
  const browser = await browserOf(app);
  const { html } = await browser.get("/certificates/?status=active&limit=1");
  assert.match(html, /name="all"[^>]*> Select all 3/);
  await browser.post("/certificates/bulk/", {
    action: "status",
    status: "replaced",
    all: "true",
    ids: String(ids[0]),
    back: "/certificates/?status=active&limit=1",
  });
  assert.deepEqual(await statuses(app, ids), ["replaced", "replaced", "replaced", "pending"]);
});

Deno.test("an action says that certificates are missing or hidden, and counts only existing ones as unchanged", async () => {
  await using app = await testApp();
  const [own, deleted, hidden] = await storeCertificates(app, [
    metadata(1, { status: "revoked" }),
    metadata(2),
    metadata(3),
  ]) as [number, number, number];
  await app.database.write((tx) => tx.run(sql`DELETE FROM certificates WHERE id = ${deleted}`));
  const browser = await browserOf(
    app,
    granted([
      {
        types: ["certmgr.certificate"],
        actions: ["view", "change", "bulk_operations", "validate_chain"],
        constraints: { id: own },
      },
      { types: ["certmgr.compliancepolicy"], actions: ["view", "manage_compliance"] },
      { types: [ASSIGNMENT], actions: ["add"] },
      { types: [DEVICE.type], actions: ["view"] },
    ]),
  );
  const messageAbout = async (ids: readonly number[], fields: Record<string, string>): Promise<string> => {
    const answer = await browser.post("/certificates/bulk/", { ...fields, ids: ids.map(String) });
    assert.equal(answer.status, 303, answer.html);
    return decodeURIComponent(flashOf(answer));
  };
  const assigning = { action: "assign_to", assigned_object: `(device #${DEVICE.id})` };
  for (const id of [deleted, hidden]) {
    for (const fields of [{ action: "status", status: "revoked" }, { action: "validate" }, assigning]) {
      assert.match(
        await messageAbout([id], fields),
        /The selected certificates do not exist\./,
        fields.action,
      );
    }
  }
  const revoking = { action: "status", status: "revoked", confirmed: "yes" };
  assert.match(
    await messageAbout([own, deleted, hidden], revoking),
    /1 certificate had the status revoked already/,
  );
});

Deno.test("revoking several certificates asks for confirmation with their names, and changes nothing before it", async () => {
  await using app = await testApp();
  const ids = await storeCertificates(app, [metadata(1, { common_name: "first.example" }), metadata(2)]);
  const browser = await browserOf(app);
  const fields = { action: "status", status: "revoked", ids: ids.map(String), back: LIST };
  const asked = await browser.post("/certificates/bulk/", fields);
  assert.equal(asked.status, 200);
  assert.match(asked.html, /<h1>Set 2 certificates to revoked\?<\/h1>/);
  assert.match(asked.html, /first\.example/);
  assert.deepEqual(await statuses(app, ids), ["active", "active"]);
  const hidden = [...asked.html.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)"/g)]
    .map(([, name, value]) => [name as string, (value as string).replaceAll("&amp;", "&")]);
  const posted = { ...Object.fromEntries(hidden), action: "status" };
  const done = await browser.post("/certificates/bulk/", posted);
  assert.equal(done.location, LIST);
  assert.match(decodeURIComponent(flashOf(done)), /success=status .*2 certificates set to revoked/);
  assert.deepEqual(await statuses(app, ids), ["revoked", "revoked"]);
});

Deno.test("failed checks of several certificates are a warning with a link to them", async () => {
  await using app = await testApp();
  const browser = await browserOf(app);
  const ids = await storeCertificates(app, [
    metadata(1, { key_size: 1024 }),
    metadata(2, { key_size: 4096 }),
  ]);
  const answer = await browser.post("/certificates/bulk/", { action: "check", ids: ids.map(String) });
  const { html } = await browser.get(answer.location, { cookie: flashOf(answer) });
  const [, kind, path = ""] =
    /<div class="flash (\w+)".*?failed \(score.*?<a href="(\/checks\/[^"]*)">View failed checks<\/a>/s.exec(
      html,
    ) ??
      [];
  assert.equal(kind, "warn", flashOf(answer));
  const failed = /, (\d+) failed/.exec(decodeURIComponent(flashOf(answer)))?.[1];
  const list = await browser.get(path.replaceAll("&amp;", "&"));
  assert.ok((list.html.match(/<td class="first">/g)?.length ?? 0) >= Number(failed));
});

Deno.test("the message about validated chains is a warning unless all are valid", async () => {
  await using app = await testApp();
  const browser = await browserOf(app);
  const { pem } = await TestCa.selfSigned({ cn: "own.example" });
  const { location } = await browser.post("/certificates/new/", { pem_content: pem, status: "active" });
  const own = String(/certificates\/(\d+)\//.exec(location)?.[1]);
  const [other] = await storeCertificates(app, [metadata(1)]);
  const messageFor = async (ids: readonly string[]): Promise<[string | undefined, string | undefined]> => {
    const answer = await browser.post("/certificates/bulk/", { action: "validate", ids });
    const { html } = await browser.get(answer.location, { cookie: flashOf(answer) });
    const [, kind, text] = /<div class="flash (\w+)".*?<span>(.*?)<\/span>/s.exec(html) ?? [];
    return [kind, text];
  };
  assert.deepEqual(await messageFor([own, String(other)]), [
    "warn",
    "2 chains validated: 1 valid, 1 not valid.",
  ]);
  assert.deepEqual(await messageFor([own]), ["success", "1 chain validated: 1 valid, 0 not valid."]);
});

Deno.test("an unusable id of a request to undo is refused", async () => {
  await using app = await testApp();
  const browser = await browserOf(app);
  for (const request_id of ["", "x", "' OR 1=1 --", "00000000-0000-4000-8000-000000000000"]) {
    for (const action of ["status", "assign_to", "delete", ""]) {
      const answer = await browser.post("/certificates/undo/", { action, request_id });
      assert.equal(answer.status, 303);
      assert.match(flashOf(answer), /certmgr_flash=error/);
    }
  }
});

const { acmeWeb, acmeCritical, shared } = seed.certificates;
const DEVICE = { type: "dcim.device", id: seed.devices.edge };
const ASSIGNMENT = "certmgr.certificateassignment";

async function assigned(app: TestApp): Promise<number[]> {
  const rows = await app.database.all<{ id: number }>(
    sql`SELECT certificate_id AS id FROM certificate_assignments
        WHERE assigned_object_type = ${DEVICE.type} AND assigned_object_id = ${DEVICE.id} ORDER BY certificate_id`,
  );
  return rows.map(({ id }) => id);
}

async function assign(browser: Browser, ids: readonly number[]): Promise<Answer> {
  const fields = {
    action: "assign_to",
    assigned_object: `(device #${DEVICE.id})`,
    ids: ids.map(String),
    back: LIST,
  };
  const answer = await browser.post("/certificates/bulk/", fields);
  assert.match(decodeURIComponent(flashOf(answer)), /^certmgr_flash=success/);
  return answer;
}

Deno.test("Undo of an assignment deletes what it created, with change records, and nothing that was assigned before", async () => {
  await using app = await testApp();
  const before = await assigned(app);
  const browser = await browserOf(app);
  const id = await undoId(browser, await assign(browser, [acmeWeb, acmeCritical, shared]));
  assert.deepEqual(
    await assigned(app),
    [...new Set([...before, acmeWeb, acmeCritical, shared])].sort((a, b) => a - b),
  );
  const last = await lastChange(app.database);
  const undone = await browser.post("/certificates/undo/", {
    action: "assign_to",
    request_id: id,
    back: LIST,
  });
  assert.equal(undone.location, LIST);
  assert.match(decodeURIComponent(flashOf(undone)), /success:\d assignments removed again/);
  assert.deepEqual(await assigned(app), before);
  const changes = await app.database.all<{ action: string; object_type: string; message: string }>(
    sql`SELECT action, object_type, message FROM object_changes WHERE id > ${last}`,
  );
  const created = new Set([acmeWeb, acmeCritical, shared]).difference(new Set(before)).size;
  assert.deepEqual(
    changes.map((one) => ({ ...one })),
    Array(created).fill({ action: "delete", object_type: ASSIGNMENT, message: "Assignment undone" }),
  );
  const again = await browser.post("/certificates/undo/", { action: "assign_to", request_id: id });
  assert.match(decodeURIComponent(flashOf(again)), /Nothing left to undo/);
});

Deno.test("Undo of an assignment leaves those alone that were edited since, that another user made, or ten minutes later", async () => {
  await using app = await testApp();
  await app.database.write((tx) => tx.run(sql`DELETE FROM certificate_assignments`));
  const browser = await browserOf(app);
  const undo = (by: Browser, request_id: string): Promise<Answer> =>
    by.post("/certificates/undo/", { action: "assign_to", request_id });
  const id = await undoId(browser, await assign(browser, [acmeWeb, acmeCritical]));
  await undo(await browserOf(app, superuser({ username: "other" })), id);
  assert.deepEqual(await assigned(app), [acmeWeb, acmeCritical]);
  const [edited] = await app.database.all<{ id: number }>(
    sql`SELECT id FROM certificate_assignments WHERE certificate_id = ${acmeWeb}`,
  );
  const saved = await browser.post(`/assignments/${edited?.id}/edit/`, {
    certificate: String(acmeWeb),
    assigned_object: `(device #${DEVICE.id})`,
    notes: "Kept",
  });
  assert.equal(saved.status, 303, saved.html);
  await undo(browser, id);
  assert.deepEqual(await assigned(app), [acmeWeb]);
  const late = await undoId(browser, await assign(browser, [acmeCritical]));
  app.clock.advance(11 * 60_000);
  await undo(browser, late);
  assert.deepEqual(await assigned(app), [acmeWeb, acmeCritical]);
});

Deno.test("Undo of an assignment needs delete on assignments, within its constraints; without it the button is missing", async () => {
  await using app = await testApp();
  await app.database.write((tx) => tx.run(sql`DELETE FROM certificate_assignments`));
  const grants: readonly GrantSpec[] = [
    { types: ["certmgr.certificate"], actions: ["view", "bulk_operations"] },
    { types: ["dcim.device"], actions: ["view"] },
    { types: [ASSIGNMENT], actions: ["view", "add"] },
  ];
  const adder = await browserOf(app, granted(grants, { username: "adder" }));
  const answer = await assign(adder, [acmeWeb, acmeCritical]);
  const { html } = await adder.get(answer.location, { cookie: flashOf(answer) });
  assert.match(html, /2 certificates assigned/);
  assert.doesNotMatch(html, /Undo/);
  const [change] = await app.database.all<{ request_id: string }>(
    sql`SELECT request_id FROM object_changes WHERE object_type = ${ASSIGNMENT} ORDER BY id DESC LIMIT 1`,
  );
  const refused = await adder.post("/certificates/undo/", {
    action: "assign_to",
    request_id: String(change?.request_id),
  });
  assert.equal(refused.status, 403);
  assert.deepEqual(await assigned(app), [acmeWeb, acmeCritical]);

  await app.database.write((tx) => tx.run(sql`DELETE FROM certificate_assignments`));
  const within: GrantSpec = {
    types: [ASSIGNMENT],
    actions: ["delete"],
    constraints: { certificate_id: acmeWeb },
  };
  const remover = await browserOf(app, granted([...grants, within], { username: "remover" }));
  const id = await undoId(remover, await assign(remover, [acmeWeb, acmeCritical]));
  await remover.post("/certificates/undo/", { action: "assign_to", request_id: id });
  assert.deepEqual(await assigned(app), [acmeCritical]);
});

Deno.test("the statements of undoing an assignment do not depend on the number of certificates", async () => {
  await using app = await testApp();
  await app.database.write((tx) => tx.run(sql`DELETE FROM certificate_assignments`));
  const ids = await storeCertificates(app, Array.from({ length: 40 }, (_, index) => metadata(index + 1)));
  const browser = await browserOf(app);
  const costs: number[] = [];
  for (const some of [ids.slice(0, 2), ids.slice(2, 5), ids.slice(5)]) {
    const request_id = await undoId(browser, await assign(browser, some));
    const before = app.database.statements;
    await browser.post("/certificates/undo/", { action: "assign_to", request_id });
    costs.push(app.database.statements - before);
    assert.deepEqual(await assigned(app), []);
  }
  assert.deepEqual(costs.slice(1), [costs[1], costs[1]]);
});

Deno.test("Pages about selected certificates have the name of a single one in their title, and the number of several", async () => {
  await using app = await testApp();
  const browser = await browserOf(app);
  const titleOf = async (fields: Record<string, string>, ids: readonly number[]): Promise<string> => {
    const { html } = await browser.post("/certificates/bulk/", { ...fields, ids: ids.map(String) });
    return textOf(/<h1[^>]*>(.*?)<\/h1>/s.exec(html)?.[1] ?? "").replaceAll(/[\u2066-\u2069]/g, "").trim();
  };
  const TITLES: readonly (readonly [fields: Record<string, string>, title: (selected: string) => string])[] =
    [
      [{ action: "assign" }, (selected) => `Assign ${selected}`],
      [{ action: "contact" }, (selected) => `Assign a contact to ${selected}`],
      [{ action: "status", status: "revoked" }, (selected) => `Set ${selected} to revoked?`],
    ];
  for (const [fields, title] of TITLES) {
    assert.equal(await titleOf(fields, [acmeWeb]), title("www.acme.example"));
    assert.equal(await titleOf(fields, [acmeWeb, acmeCritical]), title("2 certificates"));
  }
});

Deno.test("actions that open a form come before the status, which is set at once", async () => {
  await using app = await testApp();
  const { html } = await (await browserOf(app)).get("/certificates/");
  assert.match(html, />Edit…<.*>Assign…<.*>Status…</s);
});

/** Pages for a user who is restricted to one tenant: another tenant's objects behave as if they did not exist. */

import assert from "node:assert/strict";
import { sql } from "drizzle-orm";
import { managerOf } from "../support/actors.ts";
import { testApp } from "../support/app.ts";
import { seed } from "../support/seed.ts";
import { writtenBytes } from "../support/store.ts";
import { browserOf } from "./imports/browser.ts";

const { certificates, assignments, tenants } = seed;
const HIDDEN = [
  `/certificates/${certificates.globexWeb}/`,
  `/assignments/${assignments.globex}/`,
  `/tenants/${tenants.globex}/`,
];

Deno.test("The other tenant's objects answer the same 404 as missing ones", async () => {
  await using app = await testApp();
  const browser = await browserOf(app, managerOf("acme"));
  for (const path of HIDDEN) {
    const hidden = await browser.get(path);
    const absent = await browser.get(path.replace(/\d+/, "9999"));
    assert.equal(hidden.status, 404, path);
    const shape = (html: string): string => html.replaceAll(/\/\d+\//g, "/");
    assert.equal(shape(hidden.html), shape(absent.html), path);
  }
  const web = `/certificates/${certificates.globexWeb}/`;
  for (const page of ["edit/", "delete/", "renew/", "export/?format=pem"]) {
    assert.equal((await browser.get(web + page)).status, 404, page);
  }
  for (const action of ["edit/", "validate/", "renew/"]) {
    assert.equal((await browser.post(web + action)).status, 404, action);
  }
});

Deno.test("No list, choice, suggestion or file contains another tenant's objects", async () => {
  await using app = await testApp();
  const browser = await browserOf(app, managerOf("acme"));
  const paths = [
    "/",
    "/certificates/",
    "/assignments/",
    "/tenants/",
    "/certificates/?q=globex",
    "/certificates/new/",
  ]
    .concat("/certificates/add/", "/certificates/export/?format=json", "/suggest/tenants/")
    .concat("/suggest/certificates/?q=globex", `/certificates/${certificates.acmeWeb}/edit/`);
  for (const path of paths) {
    const { status, html } = await browser.get(path);
    assert.equal(status, 200, path);
    assert.doesNotMatch(
      html.replaceAll(/value="globex"|q=globex|q%3Dglobex|: globex|match &quot;globex&quot;/g, ""),
      /globex/i,
      path,
    );
  }
});

Deno.test("The other tenant's objects are not changed or deleted, also not together with visible ones", async () => {
  await using app = await testApp();
  const browser = await browserOf(app, managerOf("acme"));
  const ids = [String(certificates.acmeWeb), String(certificates.globexWeb)];
  const asked = await browser.post("/certificates/delete/", { ids });
  assert.match(asked.html, /<h1>Delete 1 certificate\?<\/h1>/);
  const before = await writtenBytes(app.database);
  await browser.post("/certificates/delete/", { ids, confirmed: "yes" });
  await browser.post(`/certificates/${certificates.globexWeb}/delete/`);
  assert.equal(await writtenBytes(app.database), before, "Something was stored");
  await browser.post("/certificates/bulk/", { ids, action: "status", status: "revoked", confirmed: "yes" });
  const rows = await app.database.all<{ status: string }>(
    sql`SELECT status FROM certificates WHERE id IN (${certificates.acmeWeb}, ${certificates.globexWeb}) ORDER BY id`,
  );
  assert.deepEqual(rows.map(({ status }) => status), ["revoked", "active"]);
});

Deno.test("A change that would leave the tenant is refused with 403, and keeps the typed values", async () => {
  await using app = await testApp();
  const browser = await browserOf(app, managerOf("acme"));
  const path = `/certificates/${certificates.acmeCritical}/edit/`;
  const { html } = await browser.get(path);
  const version = /name="version" value="([^"]*)"/.exec(html)?.[1]?.replaceAll("&quot;", '"') as string;
  const { status, html: refused } = await browser.post(path, {
    version,
    common_name: "typed.example",
    tenant: "",
    status: "active",
    serial_number: "01:00:02",
    issuer: "CN=x",
    valid_from: "2026-01-01T00:00:00",
    valid_to: "2026-06-29T23:59:59",
    fingerprint_sha256: "ab".repeat(32),
    algorithm: "rsa",
  });
  assert.equal(status, 403);
  assert.match(refused, /role="alert"/);
  assert.match(refused, /value="typed\.example"/);
});

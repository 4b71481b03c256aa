/** The list of assignments: certificate and expiry, object with its type in words, port. */

import assert from "node:assert/strict";
import { granted } from "../support/actors.ts";
import { testApp } from "../support/app.ts";
import { make } from "../support/make.ts";
import { PATHS } from "../support/paths.ts";
import { seed } from "../support/seed.ts";
import { browserOf } from "./imports/browser.ts";

/** Returns the texts of the cells of each row. */
function rowsOf(html: string): string[][] {
  const [, ...rows] = (html.split("<tbody")[1] ?? "").split("<tr");
  return rows.map((row) =>
    row.split("<td").slice(1).map((cell) => `<td${cell}`.replaceAll(/<[^>]*>/g, "").trim())
  );
}

Deno.test("the list of assignments shows expiry, object, type in words and port, the newest first, with a tab for each type", async () => {
  await using app = await testApp();
  const assigned = (type: string, id: number): Record<string, unknown> => ({
    certificate: seed.certificates.acmeWeb,
    assigned_object_type: type,
    assigned_object_id: id,
  });
  await make(app, PATHS.assignments, [
    assigned("ipam.service", seed.services.https),
    { ...assigned("virtualization.virtualmachine", seed.machines.web), is_primary: true },
  ]);
  const browser = await browserOf(app);
  const { html } = await browser.get("/assignments/");
  const rows = rowsOf(html);
  assert.deepEqual(
    rows.slice(0, 2).map(([, name, , object, type, port, main]) => [name, object, type, port, main]),
    [
      ["www.acme.example", "web-1", "virtual machine", "", "main"],
      ["www.acme.example", "https (TCP/443)", "service", "TCP 443", ""],
    ],
  );
  assert.match(rows[0]?.[2] ?? "", /^\d{4}-\d\d-\d\d\s+(?:in .*|today|.* ago)$/);
  assert.doesNotMatch(html, /<td[^>]*>(?:dcim|ipam|virtualization)\./);
  const { html: services } = await browser.get("/assignments/?assigned_object_type=ipam.service");
  assert.equal(rowsOf(services).length, 1);
  assert.match(services, /aria-current="page"[^>]*>Services</);
  const few = await browserOf(app, {
    ...granted([{ types: ["certmgr.certificateassignment"], actions: ["view"] }]),
    username: "few",
  });
  const hidden = (await few.get("/assignments/")).html;
  assert.match(hidden, />a virtual machine</);
  assert.doesNotMatch(hidden, /www\.acme\.example|web-1/);
});

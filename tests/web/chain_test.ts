/** The picture of a chain names the role of each certificate. */

import assert from "node:assert/strict";
import { sql } from "drizzle-orm";
import { testApp } from "../support/app.ts";
import { TestCa } from "../support/test_ca/mod.ts";
import { browserOf, textOf } from "./imports/browser.ts";

const known = await TestCa.root({ cn: "Public Root" });
const root = await TestCa.root({ cn: "Own Root" });
const issuing = await root.intermediate({ cn: "Own Issuing" });
const leaf = await issuing.issue({ cn: "roles.example" });
const alone = await TestCa.selfSigned({ cn: "alone.example" });

/** The role of each certificate of a path, from that of the page up; without and with a tracked root. */
const ROLES: readonly [name: string, untracked: readonly string[], tracked: readonly string[]][] = [
  [
    "roles.example",
    ["This certificate", "Intermediate CA", "Root, included in the chain"],
    ["This certificate", "Intermediate CA", "Trust anchor, a tracked authority"],
  ],
  [
    "Own Issuing",
    ["Intermediate CA", "Root, included in the chain"],
    ["Intermediate CA", "Trust anchor, a tracked authority"],
  ],
  ["Own Root", ["Self-signed CA"], ["Root CA, a tracked authority"]],
  ["alone.example", ["This certificate, self-signed"], ["This certificate, self-signed"]],
  ["Public Root", ["Root CA, a public root"], ["Root CA, a public root"]],
];

Deno.test("Chains: an authority is called an authority on its page, too, and a root has the reason why it is trusted", async () => {
  const publicRoot = { certificate: known.certificate, kind: "public_root" } as const;
  await using app = await testApp({ settings: { publicRoots: () => [publicRoot] } });
  const browser = await browserOf(app);
  const bundle = `${leaf.pem}${issuing.pem}${root.pem}`;
  for (const pem of [bundle, `${issuing.pem}${root.pem}`, root.pem, alone.pem, known.pem]) {
    const { status, html } = await browser.post("/certificates/new/", { pem_content: pem, status: "active" });
    assert.equal(status, 303, textOf(html));
  }
  const rolesOf = async (name: string): Promise<string[]> => {
    const [row] = await app.database.all<{ id: number }>(
      sql`SELECT id FROM certificates WHERE common_name = ${name}`,
    );
    const { html } = await browser.get(`/certificates/${row?.id}/`);
    return [...html.matchAll(/<div class="role">(.*?)<\/div>/gs)].map(([, role = ""]) => textOf(role).trim());
  };
  for (const [name, untracked] of ROLES) assert.deepEqual(await rolesOf(name), untracked, name);
  const made = await browser.post("/authorities/new/", {
    name: "Own",
    type: "internal",
    pem_content: root.pem,
  });
  assert.equal(made.status, 303, textOf(made.html));
  for (const [name, , tracked] of ROLES) assert.deepEqual(await rolesOf(name), tracked, name);
});

Deno.test("Chains: the page of a self-signed certificate says what this means", async () => {
  await using app = await testApp();
  const browser = await browserOf(app);
  for (const pem of [`${leaf.pem}${issuing.pem}${root.pem}`, root.pem, alone.pem]) {
    await browser.post("/certificates/new/", { pem_content: pem, status: "active" });
  }
  const summaryOf = async (name: string): Promise<string> => {
    const [row] = await app.database.all<{ id: number }>(
      sql`SELECT id FROM certificates WHERE common_name = ${name}`,
    );
    await browser.post(`/certificates/${row?.id}/validate/`);
    const { html } = await browser.get(`/certificates/${row?.id}/`);
    return textOf(/<div class="summary.*?<\/div>/s.exec(html)?.[0] ?? "");
  };
  assert.match(
    await summaryOf("alone.example"),
    /Self-signed: no authority has issued it, so only clients that trust this certificate accept it\./,
  );
  assert.doesNotMatch(await summaryOf("roles.example"), /Self-signed/);
  assert.match(
    await summaryOf("Own Root"),
    /Self-signed, as a root is: clients that trust it accept what it has issued/,
  );
});

Deno.test("Chains: before the first validation no part of a page reports a result, and a missing root is a warning", async () => {
  await using app = await testApp();
  const browser = await browserOf(app);
  const { status, location } = await browser.post("/certificates/new/", {
    pem_content: `${leaf.pem}${issuing.pem}`,
    status: "active",
  });
  assert.equal(status, 303);
  const before = (await browser.get(location)).html;
  assert.match(before, /<div class="summary plain">/);
  assert.match(
    textOf(before),
    /Chain not validated yet\..*Validate its chain.*not validated yet.*Validate chain/,
  );
  assert.doesNotMatch(textOf(before), /Chain valid|root is missing|Last validated/);
  const list = await browser.get("/certificates/?columns=common_name,chain_status");
  assert.match(list.html, /<span class="faint" title="Not validated">–</);
  assert.equal((await browser.post(`${location}validate/`, {})).status, 303);
  const after = (await browser.get(location)).html;
  assert.match(after, /<div class="summary warn">/);
  assert.match(textOf(after), /Chain valid, but its root is missing\..*root missing.*Last validated/);
});

Deno.test("Chains: a result that is different now is in the past tense, and failed checks of a replaced certificate are grey", async () => {
  await using app = await testApp();
  const browser = await browserOf(app);
  const { location } = await browser.post("/certificates/new/", { pem_content: leaf.pem, status: "active" });
  assert.equal((await browser.post(`${location}validate/`, {})).status, 303);
  const id = Number(location.split("/").at(-2));
  await app.database.write((tx) =>
    tx.run(
      sql`UPDATE certificates SET chain_status = 'valid', chain_validated_at = ${Date.parse("2026-05-01")}
      WHERE id = ${id}`,
    )
  );
  const text = textOf((await browser.get(location)).html);
  assert.match(text, /Last validated 2026-05-01 00:00 UTC\s*: valid\./);
  await app.database.write((tx) =>
    tx.run(sql`UPDATE compliance_checks SET certificate_id = ${id}, result = 'fail'
      WHERE id = (SELECT min(id) FROM compliance_checks)`)
  );
  assert.match((await browser.get(location)).html, /<span class="badge bad">fail</);
  await app.database.write((tx) => tx.run(sql`UPDATE certificates SET status = 'replaced' WHERE id = ${id}`));
  const replaced = (await browser.get(location)).html;
  assert.match(
    replaced,
    /<span class="badge plain">failed<\/span> <span class="faint">when it was replaced</,
  );
});

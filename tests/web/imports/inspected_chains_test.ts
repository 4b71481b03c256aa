/** The preview of certificates: chains, warnings, and what becomes of each certificate. */

import assert from "node:assert/strict";
import { sql } from "drizzle-orm";
import { sha256Hex } from "../../../src/base/bytes.ts";
import { importRenewing } from "../../../src/domain/certificates/renewal/renew.ts";
import { certificates } from "../../../src/domain/certificates/mod.ts";
import { ALL_FIELDS, getObject } from "../../../src/resource/mod.ts";
import { granted } from "../../support/actors.ts";
import { testApp } from "../../support/app.ts";
import { CHAIN, pki } from "../../support/pki.ts";
import { seed } from "../../support/seed.ts";
import { metadata, storeCertificates } from "../../support/stored.ts";
import { TestCa } from "../../support/test_ca/mod.ts";
import { bulkImporter, certificateCount } from "../../domain/certificates/import_preview/support.ts";
import { type Browser, browserOf, textOf } from "./browser.ts";

/** Returns the texts of the groups of a preview, in their order. */
async function groupsOf(browser: Browser, content: string, tenant = ""): Promise<string[]> {
  const { html } = await browser.post("/certificates/add/", { content, tenant });
  return [...html.matchAll(/<section class="box bundle".*?<\/section>/gs)].map(([text]) => textOf(text));
}

Deno.test("preview of certificates: leaves with the same issuers are one group, with the issuers after them", async () => {
  await using app = await testApp();
  const browser = await browserOf(app);
  const root = await TestCa.root({ subject: "CN=Second Root", serial: 31 });
  const leaf = await root.issue({ cn: "second.example", serial: 32, sans: ["second.example"] });
  const text = [pki.fresh.pem, root.pem, leaf.pem, CHAIN, pki.other.pem].join("");
  const [first = "", second = "", ...rest] = await groupsOf(browser, text);
  assert.deepEqual(rest, []);
  assert.match(
    first,
    /fresh\.acme\.example certificate .*other\.acme\.example certificate .*Acme Issuing CA intermediate .*Acme Root CA root /,
  );
  assert.match(first, /The chain of 3 certificates is complete/);
  assert.match(second, /second\.example certificate .*Second Root root /);
});

Deno.test("preview of certificates: an issuer of two chains is described once", async () => {
  await using app = await testApp();
  const browser = await browserOf(app);
  const [one, two] = await Promise.all([
    pki.root.intermediate({ subject: "CN=First Sub", serial: 41 }),
    pki.root.intermediate({ subject: "CN=Second Sub", serial: 42 }),
  ]);
  const leaves = await Promise.all([
    one.issue({ cn: "one.example", serial: 43, sans: ["one.example"] }),
    two.issue({ cn: "two.example", serial: 44, sans: ["two.example"] }),
  ]);
  const text = [...leaves, one, two, pki.root].map(({ pem }) => pem).join("");
  const [first = "", second = ""] = await groupsOf(browser, text);
  assert.match(first, /one\.example certificate .*First Sub intermediate .*Acme Root CA root /);
  assert.match(
    second,
    /two\.example certificate .*Second Sub intermediate .*Issued by Acme Root CA , described above\./,
  );
});

Deno.test("preview of certificates: expired, self-signed and known certificates and missing issuers are marked", async () => {
  await using app = await testApp();
  const browser = await browserOf(app);
  const self = await TestCa.selfSigned({ cn: "printer.example", serial: 51, sans: ["printer.example"] });
  const expired = await pki.issuing.issue({
    cn: "old.example",
    serial: 52,
    sans: ["old.example"],
    notBefore: "2024-01-01T00:00:00Z",
    notAfter: "2025-01-01T00:00:00Z",
  });
  const stranger = await pki.stranger.issue({ cn: "lost.example", serial: 53, sans: ["lost.example"] });
  const groups = await groupsOf(
    browser,
    [expired, stranger, self, pki.stored.acme, pki.fresh, pki.fresh].map(({ pem }) => pem).join(""),
  );
  const groupOf = (name: string): string => groups.find((text) => text.includes(name)) ?? "";
  assert.match(groupOf("old.example"), /will be added .*\d+ days ago .*expired/);
  assert.match(groupOf("printer.example"), /(?:certificate|root) will be added .*self-signed/);
  assert.match(
    groupOf("lost.example"),
    /chain incomplete .*The issuer "[^"]*Stranger Root" is neither here nor/,
  );
  assert.match(groupOf("www.acme.example"), /already known .*Certificate already exists/);
  assert.doesNotMatch(groupOf("www.acme.example"), /chain incomplete/);
  assert.match(
    groups.join(),
    /fresh\.acme\.example certificate will be added .*fresh\.acme\.example certificate duplicate/,
  );
});

Deno.test("preview of certificates: when one may not be imported, none is shown as importable", async () => {
  await using app = await testApp();
  const browser = await browserOf(app, bulkImporter("confined", { common_name: "fresh.acme.example" }));
  const groups = (await groupsOf(browser, `${pki.fresh.pem}${pki.other.pem}`)).join();
  assert.match(groups, /fresh\.acme\.example certificate not added/);
  assert.match(groups, /other\.acme\.example certificate error .*Your permissions do not allow/);
  assert.doesNotMatch(groups, /will be added/);
});

Deno.test("preview of certificates: a new certificate with the same names as a visible one offers to renew it", async () => {
  await using app = await testApp();
  const chief = await browserOf(app);
  const [sans, notAfter] = [["ALT.www.acme.example", "www.acme.example"], "2027-10-31T23:59:59Z"] as const;
  const [same, fewer, earlier] = await Promise.all([
    pki.issuing.issue({ cn: "www.acme.example", serial: 71, sans: [...sans], notAfter }),
    pki.issuing.issue({ cn: "www.acme.example", serial: 72, sans: ["www.acme.example"], notAfter }),
    pki.issuing.issue({
      cn: "www.acme.example",
      serial: 73,
      sans: [...sans],
      notAfter: "2026-06-30T00:00:00Z",
    }),
  ]);
  const content = [pki.other, same, pki.issuing].map(({ pem }) => pem).join("");
  const offered = (await chief.post("/certificates/add/", { content })).html;
  assert.match(
    textOf(offered),
    /Same names as www\.acme\.example \(expires \d{4}-\d\d-\d\d \)\. Renew www\.acme\.example with it Import it separately/,
  );
  assert.match(offered, new RegExp(`type="radio"[^>]*value="${seed.certificates.acmeWeb}" checked`));
  assert.match(textOf(offered), /www\.acme\.example certificate will renew /);
  assert.equal(textOf(offered).match(/will be added/g)?.length, 2, "the others");
  assert.match(textOf(offered), /1 can renew an existing one 2 can be imported/);
  assert.match(offered, /<button[^>]*data-import-count="3"[^>]*>Renew and import</);
  for (const { pem } of [fewer, earlier]) {
    assert.doesNotMatch((await chief.post("/certificates/add/", { content: pem })).html, /Same names as/);
  }
  const [tenant] = (await groupsOf(chief, same.pem, "Globex")).slice(0, 1);
  assert.doesNotMatch(tenant ?? "", /Same names as/);
  const all = ["view", "import", "renew", "change"];
  for (
    const [actions, constraints, shown, permitted] of [
      [all, {}, true, true],
      [["view", "import"], {}, true, false],
      [all, { id: seed.certificates.acmeWeb + 1 }, false, false],
    ] as const
  ) {
    const grants = [
      { types: ["certmgr.certificate"], actions: ["import"] },
      { types: ["certmgr.certificate"], actions: [...actions], constraints },
    ];
    const actor = granted(grants, { username: `user-${actions.length}-${shown}` });
    const { html } = await (await browserOf(app, actor)).post("/certificates/add/", { content: same.pem });
    assert.equal(/Same names as/.test(html), shown, JSON.stringify([actions, constraints]));
    assert.equal(/type="radio"/.test(html), permitted, JSON.stringify([actions, constraints]));
  }
});

/** Returns the names and values of the radio buttons that renew, in the order of the certificates. */
function choicesIn(html: string): { name: string; value: string; checked: boolean }[] {
  return [...html.matchAll(/<input type="radio"[^>]*name="(renew\.[^"]+)" value="(\d+)"( checked)?/g)].map(
    ([, name = "", value = "", checked]) => ({ name, value, checked: checked !== undefined }),
  );
}

Deno.test("preview of certificates: one with most names of an existing certificate says so, and is imported separately by default", async () => {
  await using app = await testApp();
  const browser = await browserOf(app);
  const names = ["a.part.example", "b.part.example", "c.part.example"];
  const [id] = await storeCertificates(app, [
    metadata(1, { common_name: "a.part.example", sans: names, valid_to: "2026-12-31" }),
  ]);
  const issue = (serial: number, sans: string[]): Promise<{ pem: string }> =>
    pki.issuing.issue({ cn: sans[0] as string, serial, sans, notAfter: "2027-10-31T23:59:59Z" });
  const shown = async (serial: number, sans: string[]): Promise<string> =>
    (await browser.post("/certificates/add/", { content: (await issue(serial, sans)).pem })).html;
  const two = await shown(81, ["B.part.example", "c.part.example"]);
  assert.match(textOf(two), /Has 2 of 3 names of a\.part\.example \(expires 2026-12-31 \)\./);
  assert.deepEqual(choicesIn(two).map(({ value, checked }) => [value, checked]), [[String(id), false]]);
  assert.match(
    textOf(await shown(82, ["x.part.example", ...names])),
    /Has all 3 names of a\.part\.example , and others \(expires/,
  );
  assert.match(textOf(await shown(83, names)), /Same names as a\.part\.example/);
  assert.doesNotMatch(await shown(84, ["c.part.example"]), /class="renewable"/);
  const [namesake] = await storeCertificates(app, [
    metadata(2, { common_name: "C.part.example", sans: ["d.part.example", "e.part.example"] }),
  ]);
  const renewing = await shown(84, ["c.part.example"]);
  assert.match(textOf(renewing), /Has 1 of 3 names of C\.part\.example/, "the same common name");
  assert.deepEqual(choicesIn(renewing).map(({ value, checked }) => [value, checked]), [
    [String(namesake), false],
  ]);
});

Deno.test("preview of certificates: a row says what the renewal would lose, and is imported separately by default if clients would refuse it", async () => {
  await using app = await testApp();
  const browser = await browserOf(app);
  const stored = { valid_from: "2026-01-01", valid_to: "2027-01-01", algorithm: "rsa", key_size: 7680 };
  await storeCertificates(app, [
    metadata(1, {
      common_name: "a.lost.example",
      sans: ["a.lost.example", "b.lost.example", "c.lost.example"],
    }),
    metadata(2, { ...stored, common_name: "short.example", sans: ["short.example"], issuer: "CN=Old CA" }),
    metadata(3, { ...stored, common_name: "self.example", sans: ["self.example"], issuer: "CN=Old CA" }),
  ]);
  const validity = { notBefore: "2026-11-01T00:00:00Z", notAfter: "2027-02-01T00:00:00Z" };
  const fresh = await Promise.all([
    pki.issuing.issue({
      ...validity,
      cn: "a.lost.example",
      serial: 101,
      sans: ["a.lost.example", "b.lost.example"],
    }),
    pki.issuing.issue({ ...validity, cn: "short.example", serial: 102, sans: ["short.example"] }),
    TestCa.selfSigned({ ...validity, cn: "self.example", serial: 103, sans: ["self.example"] }),
  ]);
  const { html } = await browser.post("/certificates/add/", {
    content: fresh.map(({ pem }) => pem).join(""),
  });
  const [lost = "", short = "", self = ""] = ["a.lost", "short", "self"].map((name) =>
    [...html.matchAll(/<fieldset class="renewable">.*?<\/fieldset>/gs)].map(([text]) => text)
      .find((text) => text.includes(`<bdi>${name}.example`)) ?? ""
  );
  const checked = (text: string): boolean | undefined => choicesIn(text)[0]?.checked;
  assert.match(
    textOf(lost),
    /Has 2 of 3 names of .* Names the new certificate does not cover: c\.lost\.example The new/,
  );
  assert.equal(checked(lost), false);
  assert.match(
    textOf(short),
    /weaker key\. The new certificate is valid for 92 days, the current one for 365 days\. The new certificate was issued by Acme Issuing CA, the current one by Old CA\./,
  );
  assert.equal(checked(short), true);
  assert.match(
    textOf(self),
    /Same names as self\.example .*self-signed\. The current one was issued by Old CA\./,
  );
  assert.equal(checked(self), false);
});

Deno.test("preview of certificates: the import renews the chosen certificates and stores the others, all or nothing", async () => {
  await using app = await testApp();
  const browser = await browserOf(app);
  const ids = await storeCertificates(app, [
    metadata(1, {
      common_name: "one.example",
      sans: ["one.example"],
      private_key_location: "vault: one",
      tenant: seed.tenants.acme,
    }),
    metadata(2, { common_name: "two.example", sans: ["two.example"] }),
  ]);
  const [notAfter, later] = ["2027-10-31T23:59:59Z", "2027-11-30T23:59:59Z"];
  const fresh = await Promise.all([
    pki.issuing.issue({ cn: "one.example", serial: 91, sans: ["one.example"], notAfter }),
    pki.issuing.issue({ cn: "one.example", serial: 92, sans: ["one.example"], notAfter: later }),
    pki.issuing.issue({ cn: "two.example", serial: 93, sans: ["two.example"], notAfter }),
    pki.issuing.issue({ cn: "three.example", serial: 94, sans: ["three.example"], notAfter }),
  ]);
  const content = fresh.map(({ pem }) => pem).join("");
  const { html } = await browser.post("/certificates/add/", { content });
  const choices = choicesIn(html);
  // Of two certificates with the same names, the one that expires later renews.
  assert.deepEqual(
    choices.map(({ value, checked }) => [Number(value), checked]),
    ids.map((id) => [id, true]),
  );
  const read = async (id: number): Promise<Record<string, unknown>> =>
    (await getObject({ ctx: app.ctx, resource: certificates, id, selection: ALL_FIELDS })).object;
  const [first, second] = choices.map(({ name, value }) => ({ [name]: value }));
  // The second one was renewed in the meantime: nothing is stored.
  const [rival] = await storeCertificates(app, [
    metadata(3, { common_name: "two.example", sans: ["two.example"], valid_to: "2028-01-01" }),
  ]);
  await browser.post(`/certificates/${ids[1]}/renew/`, { certificate: String(rival), confirmed: "yes" });
  const refused = await browser.post("/certificates/add/store/", {
    pem_content: content,
    ...first,
    ...second,
  });
  assert.equal(refused.status, 400);
  assert.match(textOf(refused.html), /The certificate is already replaced by two\.example/);
  assert.equal((await read(ids[0] as number)).replaced_by, null);
  const chosen = { pem_content: content, ...first, [choices[1]?.name as string]: "no" };
  const { status, location } = await browser.post("/certificates/add/store/", chosen);
  assert.equal(status, 303);
  const stored = [...location.matchAll(/id=(\d+)/g)].map(([, id]) => Number(id));
  assert.equal(stored.length, 4);
  assert.match(textOf((await browser.get(location)).html), /three\.example/);
  const [successor] = stored;
  const after = await read(ids[0] as number);
  assert.deepEqual([after.status, (after.replaced_by as { id: number }).id], ["replaced", successor]);
  const { valid_to, private_key_location, tenant } = await read(successor as number);
  assert.deepEqual([valid_to, private_key_location, (tenant as { id: number }).id], [
    later,
    // It has another key.
    "",
    seed.tenants.acme,
  ]);
});

function fingerprintOf(pem: string): string {
  return sha256Hex(
    Uint8Array.from(atob(pem.replaceAll(/-----[^-]+-----|\s/g, "")), (one) => one.charCodeAt(0)),
  );
}

Deno.test("import of certificates that renew others takes as many statements for several renewals as for two", async () => {
  await using app = await testApp();
  const counts: number[] = [];
  // The first import fills caches.
  for (const [round, count] of [1, 2, 5].entries()) {
    const names = Array.from({ length: count }, (_, index) => `n${index}.round${round}.example`);
    const ids = await storeCertificates(
      app,
      names.map((name, index) => metadata(10 * round + index, { common_name: name, sans: [name] })),
    );
    await app.database.write((tx) =>
      tx.run(sql`INSERT INTO certificate_assignments
          (certificate_id, assigned_object_type, assigned_object_id, is_primary, notes, created, last_updated)
        SELECT value, 'dcim.device', 1, 0, '', 0, 0 FROM json_each(${JSON.stringify(ids)})`)
    );
    const fresh = await Promise.all(
      names.map((cn, index) =>
        pki.issuing.issue({
          cn,
          serial: 500 + 10 * round + index,
          sans: [cn],
          notAfter: "2027-10-31T23:59:59Z",
        })
      ),
    );
    const renew = new Map(fresh.map(({ pem }, index) => [fingerprintOf(pem), ids[index] as number]));
    const before = app.database.statements;
    const pem_content = fresh.map(({ pem }) => pem).join("");
    const { renewed, created_count } = await importRenewing({ ctx: app.ctx, input: { pem_content, renew } });
    counts.push(app.database.statements - before);
    assert.deepEqual([renewed.length, created_count], [count, 0]);
    const rows = await app.database.all<{ status: string; successor: number; assigned: number }>(
      sql`SELECT status, replaced_by_id AS successor, (SELECT count(*) FROM certificate_assignments
          WHERE certificate_id = replaced_by_id) AS assigned
        FROM certificates WHERE id IN (SELECT value FROM json_each(${JSON.stringify(ids)})) ORDER BY id`,
    );
    assert.deepEqual(
      rows.map(({ status, successor, assigned }) => [status, successor, assigned]),
      renewed.map((id) => ["replaced", id, 1]),
    );
  }
  assert.equal(counts[2], counts[1], `${counts}`);
});

Deno.test("import of certificates that renew others: wrong and forbidden choices are refused, and nothing is stored", async () => {
  await using app = await testApp();
  const path = "/certificates/add/store/";
  const chief = await browserOf(app);
  const { html } = await chief.post("/certificates/add/", { content: pki.fresh.pem });
  const [print = ""] =
    /(?:[0-9A-F]{2}:){31}[0-9A-F]{2}/.exec(html.replaceAll("<wbr/>", "").replaceAll("<wbr>", "")) ?? [];
  const before = await certificateCount(app.ctx);
  const choose = async (choice: Record<string, string>, actor?: Parameters<typeof browserOf>[1]) => {
    const { status, html: answer } = await (await browserOf(app, actor)).post(path, {
      pem_content: pki.fresh.pem,
      ...choice,
    });
    assert.equal(await certificateCount(app.ctx), before);
    return `${status} ${textOf(answer)}`;
  };
  assert.match(await choose({ "renew.AA": "1" }), /^400 .*has no certificate with the fingerprint "AA"/);
  assert.match(await choose({ [`renew.${print}`]: "99999" }), /^400 .*to renew does not exist any more/);
  assert.match(
    await choose({ [`renew.${print}`]: String(seed.certificates.globexWeb) }),
    /^400 .*no name in common/,
  );
  for (const value of ["9".repeat(16), "-1", "1e2", "x"]) {
    assert.match(
      await choose({ [`renew.${print}`]: value }),
      /^400 .*to renew does not exist any more/,
      `${value} is not ignored`,
    );
  }
  assert.match(
    await choose({ [`renew.${print}`]: "1", [`renew.${print.replaceAll(":", "").toLowerCase()}`]: "2" }),
    /^400 .*is chosen twice/,
  );
  const importer = granted([{ types: ["certmgr.certificate"], actions: ["view", "import"] }], {
    username: "importer",
  });
  assert.match(await choose({ [`renew.${print}`]: "1" }, importer), /^400 /);
});

Deno.test("the page of a certificate that was imported next to the one that it renews offers this renewal", async () => {
  await using app = await testApp();
  const chief = await browserOf(app);
  const [one, other] = await storeCertificates(app, [
    metadata(1, { common_name: "twin.example", sans: ["a.twin.example"], valid_to: "2027-06-30" }),
    metadata(2, { common_name: "TWIN.example", sans: ["A.twin.example"], valid_to: "2027-12-31" }),
  ]);
  const newer = await chief.get(`/certificates/${other}/`);
  assert.match(textOf(newer.html), /Renew the certificate with the same names that expires on 2027-06-30/);
  assert.match(newer.html, new RegExp(`<a href="/certificates/${one}/renew/">Renew the certificate`));
  assert.doesNotMatch((await chief.get(`/certificates/${one}/`)).html, /with the same names/);
  await chief.post(`/certificates/${one}/renew/`, { certificate: String(other), confirmed: "yes" });
  assert.doesNotMatch((await chief.get(`/certificates/${other}/`)).html, /with the same names/);
});

Deno.test("preview of certificates: new ones have no mark of a print button, which phones hide and a click prints", async () => {
  await using app = await testApp();
  const browser = await browserOf(app);
  const { html } = await browser.post("/certificates/add/", { content: pki.fresh.pem, tenant: "" });
  assert.match(html, /<details class="found"/);
  assert.doesNotMatch(html, /<(?!button)[^>]* data-print\b/);
});

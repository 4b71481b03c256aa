/** The page that shows a renewal before it is done. */

import assert from "node:assert/strict";
import { sql } from "drizzle-orm";
import { testApp } from "../support/app.ts";
import { callJson } from "../support/call_json.ts";
import { pki } from "../support/pki.ts";
import { seed } from "../support/seed.ts";
import { metadata, storeCertificates } from "../support/stored.ts";
import { TestCa } from "../support/test_ca/mod.ts";
import { browserOf, textOf } from "./imports/browser.ts";

const PATH = `/certificates/${seed.certificates.acmeWeb}/renew/`;

async function successor(sans: string[]): Promise<string> {
  const notAfter = "2027-10-31T23:59:59Z";
  return (await pki.issuing.issue({
    cn: "www.acme.example",
    serial: 0x0b0002,
    sans,
    notAfter,
  })).pem;
}

Deno.test("a successor without some names of the old certificate is shown with these names, and stored on confirmation", async () => {
  await using app = await testApp();
  const browser = await browserOf(app);
  const whole = await browser.post(PATH, {
    pem_content: await successor(["www.acme.example", "*.www.acme.example"]),
  });
  assert.match(textOf(whole.html), /Confirm renewal/);
  assert.match(textOf(whole.html), /Confirm renewal of \S*www\.acme\.example/);
  const { html: first } = await browser.get(PATH);
  assert.match(
    textOf(first),
    / Renew \S*www\.acme\.example\S* Current certificate/,
  );
  assert.match(
    first,
    /New certificate<\/h2>\s*<p class="faint">The inventory has no successor for it yet/,
  );
  assert.doesNotMatch(textOf(whole.html), /does not cover/);
  const less = await browser.post(PATH, {
    pem_content: await successor(["www.acme.example"]),
  });
  assert.match(
    textOf(less.html),
    /Names the new certificate does not cover: alt\.www\.acme\.example/,
  );
  const done = await browser.post(PATH, {
    pem_content: await successor(["www.acme.example"]),
    confirmed: "yes",
  });
  assert.equal(done.status, 303);
});

Deno.test("the first step shows the current certificate: subject, issuer, key, places, and its names to copy, each once", async () => {
  await using app = await testApp();
  const browser = await browserOf(app);
  const { html } = await browser.get(PATH);
  const box = /<section class="card" aria-labelledby="current">.*?<\/section>/s.exec(html)
    ?.[0] ?? "";
  assert.match(
    textOf(box),
    /^ ?Current certificate: ?www\.acme\.example .*Key ?ECDSA 256 ?Subject ?CN=www\.acme\.example ?Issuer ?.*Acme Issuing CA/,
  );
  assert.match(textOf(box), /Assigned to ?edge-1/);
  const names = /data-copy-source[^>]*>([^<]*)</.exec(box)?.[1]?.split("\n");
  assert.deepEqual(names, ["www.acme.example", "alt.www.acme.example"]);
  assert.match(box, /<button[^>]* data-copy[^>]* aria-label="Copy names"/);
});

Deno.test("a self-signed successor of an issued certificate is shown with a warning, an issued one without", async () => {
  await using app = await testApp();
  const browser = await browserOf(app);
  const notAfter = "2027-10-31T23:59:59Z";
  const self = await TestCa.selfSigned({
    cn: "www.acme.example",
    sans: ["www.acme.example"],
    notAfter,
  });
  const warned = await browser.post(PATH, { pem_content: self.pem });
  assert.equal(warned.status, 200);
  assert.match(
    textOf(warned.html),
    /The new certificate is self-signed\. The current one was issued by Acme Issuing CA\./,
  );
  const issued = await browser.post(PATH, {
    pem_content: await successor(["www.acme.example"]),
  });
  assert.doesNotMatch(textOf(issued.html), /self-signed/);
  const stranger = await TestCa.root({ subject: "CN=Elsewhere CA" });
  const other = await stranger.issue({
    cn: "www.acme.example",
    sans: ["www.acme.example"],
    notAfter,
  });
  const moved = textOf(
    (await browser.post(PATH, { pem_content: other.pem })).html,
  );
  assert.match(
    moved,
    /was issued by Elsewhere CA, the current one by Acme Issuing CA\./,
  );
  assert.doesNotMatch(moved, /self-signed/);
});

Deno.test("a successor with the key of the current certificate is shown with a warning, one with another key without", async () => {
  await using app = await testApp();
  const browser = await browserOf(app);
  const options = {
    cn: "key.example",
    sans: ["key.example"],
    notAfter: "2027-10-31T23:59:59Z",
  };
  const old = await pki.issuing.issue({
    ...options,
    notAfter: "2027-01-31T23:59:59Z",
  });
  const [id] = await storeCertificates(app, [{ pem_content: old.pem }]);
  const path = `/certificates/${id}/renew/`;
  const [same, other] = await Promise.all([
    pki.issuing.issue({ ...options, key: old.key }),
    pki.issuing.issue(options),
  ]);
  const reused = textOf(
    (await browser.post(path, { pem_content: same.pem })).html,
  );
  assert.match(
    reused,
    /Same key reused: the new certificate has the key pair of the current one/,
  );
  assert.match(
    reused,
    /Unchanged: Valid from, key type, .*common name, issuer/,
  );
  const fresh = textOf(
    (await browser.post(path, { pem_content: other.pem })).html,
  );
  assert.doesNotMatch(fresh, /Same key reused/);
  assert.match(
    fresh,
    /Unchanged: Valid from, key type, subject alternative names, .*common name, issuer/,
  );
});

Deno.test("a new certificate that is already in the inventory is refused, and offered among the possible successors", async () => {
  await using app = await testApp();
  const pem = await successor(["www.acme.example"]);
  const [id] = await storeCertificates(app, [{ pem_content: pem, tenant: { slug: "acme" } }]);
  const browser = await browserOf(app);
  const refused = await browser.post(PATH, { pem_content: pem });
  assert.equal(refused.status, 400);
  assert.match(refused.html, new RegExp(`name="certificate" value="${id}"[^]*Compare`));
  assert.match(
    textOf((await browser.post(PATH, { certificate: String(id) })).html),
    /Confirm renewal/,
  );
});

Deno.test("a comparison without a certificate is refused at the field", async () => {
  await using app = await testApp();
  const { status, html } = await (await browserOf(app)).post(PATH, {
    pem_content: " \n",
  });
  assert.equal(status, 400);
  assert.match(
    html,
    /id="f-pem_content-error">Choose a file or paste the certificate\.</,
  );
});

Deno.test("before a renewal, lost names come first, then warnings, then notes", async () => {
  await using app = await testApp();
  const other = await TestCa.selfSigned({
    cn: "www.acme.example",
    sans: ["www.acme.example"],
    notBefore: "2026-10-01T00:00:00Z",
    notAfter: "2026-11-10T23:59:59Z",
  });
  const { html } = await (await browserOf(app)).post(PATH, {
    pem_content: other.pem,
  });
  const lines = [...html.matchAll(/<p class="flash (\w+)">(.*?)<\/p>/gs)];
  const first = lines.map(([, tone, line]) =>
    `${tone}: ${textOf(line ?? "").trim().split(" ").slice(0, 5).join(" ")}`
  );
  assert.deepEqual(first, [
    "warn: Names the new certificate does",
    "warn: The new certificate is self-signed.",
    "info: The new certificate is valid",
  ]);
  const [warning, note] = [lines[0], lines[2]].map((line) =>
    /class="icon (i-\w+)"/.exec(line?.[2] ?? "")?.[1]
  );
  assert.ok(warning !== undefined && note !== undefined);
  assert.notEqual(warning, note);
});

Deno.test("the current certificate is not its own successor", async () => {
  await using app = await testApp();
  const { status, html } = await (await browserOf(app)).post(PATH, {
    pem_content: pki.stored.acme.pem,
  });
  assert.equal(status, 400);
  assert.match(textOf(html), /Certificate already exists/);
  assert.doesNotMatch(html, /Use it as the successor/);
});

Deno.test("possible successors with the same names come first, others are described, and one without tenant gets it first", async () => {
  await using app = await testApp();
  const browser = await browserOf(app);
  const [tenant, sans] = [{ slug: "acme" }, ["a.rank.example"]];
  const [id, exact, more, less, bare] = await storeCertificates(app, [
    metadata(1, {
      common_name: "rank.example",
      sans,
      tenant,
      valid_to: "2027-01-31",
    }),
    metadata(2, {
      common_name: "RANK.example",
      sans,
      tenant,
      valid_to: "2027-02-28",
    }),
    metadata(3, {
      common_name: "rank.example",
      sans: [...sans, "b.rank.example"],
      tenant,
      valid_to: "2027-03-31",
    }),
    metadata(4, {
      common_name: "rank.example",
      sans: [],
      tenant,
      valid_to: "2027-04-30",
    }),
    metadata(5, { common_name: "rank.example", sans, valid_to: "2027-05-31" }),
    metadata(6, {
      common_name: "rank.example",
      sans,
      tenant: { slug: "globex" },
      valid_to: "2027-05-31",
    }),
  ]);
  const { html } = await browser.get(`/certificates/${id}/renew/`);
  const section = /<section aria-labelledby="candidates">.*?<\/section>/s.exec(html)?.[0] ??
    "";
  assert.match(textOf(section), /Possible successors in the inventory/);
  const rows = [
    ...section.matchAll(/<a href="\/certificates\/(\d+)\/">.*?<\/tr>/gs),
  ];
  assert.deepEqual(rows.map(([, number]) => Number(number)), [
    bare,
    exact,
    less,
    more,
  ]);
  const texts = rows.map(([row]) => textOf(row));
  assert.match(texts[0] ?? "", /Same names .*Set tenant first/);
  assert.match(texts[1] ?? "", /Same names .*Compare/);
  assert.match(texts[2] ?? "", /Does not cover a\.rank\.example .*Compare/);
  assert.match(texts[3] ?? "", /Also covers other names .*Compare/);
});

/** Valid now, and for a shorter time than the certificate of the inventory. */
async function earlierSuccessor(): Promise<string> {
  const sans = ["www.acme.example", "alt.www.acme.example"];
  const dates = {
    notBefore: "2026-06-01T00:00:00Z",
    notAfter: "2026-08-30T23:59:59Z",
  };
  return (await pki.issuing.issue({
    cn: "www.acme.example",
    serial: 0x0b0009,
    sans,
    ...dates,
  })).pem;
}

Deno.test("a successor that expires earlier is shown with the number of days, and stored with the chosen reason", async () => {
  await using app = await testApp();
  const browser = await browserOf(app);
  const pem_content = await earlierSuccessor();
  const shown = await browser.post(PATH, { pem_content });
  assert.match(
    textOf(shown.html),
    /The new certificate expires 62 days earlier than the current one: on 2026-08-30, not on 2026-10-31\./,
  );
  assert.match(
    shown.html,
    /<select[^>]*name="reason"[^>]*>.*<option value="ca_incident"[^>]*>CA incident</s,
  );
  const wrong = await browser.post(PATH, {
    pem_content,
    confirmed: "yes",
    reason: "bored",
  });
  assert.equal(wrong.status, 400);
  assert.match(textOf(wrong.html), /Expected one of renewal, .* not "bored"/);
  const done = await browser.post(PATH, {
    pem_content,
    confirmed: "yes",
    reason: "ca_incident",
  });
  assert.equal(done.status, 303);
  const { html } = await browser.get(
    `/certificates/${seed.certificates.acmeWeb}/`,
  );
  assert.match(textOf(html), /Replacement reason ?CA incident/);
});

Deno.test("the preview of certificates offers a renewal by one that expires earlier, with the number of days and a reason", async () => {
  await using app = await testApp();
  const browser = await browserOf(app);
  const content = await earlierSuccessor();
  const { html } = await browser.post("/certificates/add/", { content });
  assert.match(
    textOf(html),
    /Same names as www\.acme\.example .*expires 62 days earlier than the current one/,
  );
  const [, name = "", value = ""] = /name="(renew\.[^"]+)" value="(\d+)"/.exec(html) ?? [];
  assert.match(html, /<select[^>]*name="reason"/);
  const form = { pem_content: content, [name]: value };
  const wrong = await browser.post("/certificates/add/store/", {
    ...form,
    reason: "bored",
  });
  assert.equal(wrong.status, 400);
  const { status } = await browser.post("/certificates/add/store/", {
    ...form,
    reason: "reissue",
  });
  assert.equal(status, 303);
  const [old] = await app.database.all<{ replacement_reason: string }>(
    sql`SELECT replacement_reason FROM certificates WHERE id = ${seed.certificates.acmeWeb}`,
  );
  assert.equal(old?.replacement_reason, "reissue");
});

Deno.test("certificates without a common name have the name of what they are for, and are not taken for renewals of others", async () => {
  await using app = await testApp();
  const browser = await browserOf(app);
  const made = (serial: number, sans: string[], notAfter: string): Promise<string> =>
    pki.issuing.issue({ subject: "", serial, sans, notAfter }).then(({ pem }) => pem);
  for (
    const [index, [one, other, name]] of [
      ["IP:198.51.100.20", "IP:198.51.100.21", "198.51.100.20"],
      ["email:a@names.example", "email:b@names.example", "a@names.example"],
      ["URI:spiffe://names/a", "URI:spiffe://names/b", "spiffe://names/a"],
      ["RID:1.2.3.4", "RID:1.2.3.5", "RID:1.2.3.4"],
      [undefined, undefined, "0C:00:FF"],
    ].entries()
  ) {
    const serial = index === 4 ? 0x0c00ff : 0x0c0000 + index;
    const pem_content = await made(serial, one === undefined ? [] : [one], "2026-09-01T00:00:00Z");
    const [id] = await storeCertificates(app, [{ pem_content }]);
    const { html } = await browser.get(`/certificates/${id}/`);
    assert.ok(html.includes(`<title>${name}`), `${name}`);
    const next = await made(0x0d0000 + index, other === undefined ? [] : [other], "2027-09-01T00:00:00Z");
    const preview = await browser.post("/certificates/add/", { content: next });
    assert.doesNotMatch(preview.html, /renew\.|ames (?:as|of)/, `${name}`);
    const refused = await browser.post(`/certificates/${id}/renew/`, { pem_content: next });
    assert.match(textOf(refused.html), /has no name in common/, `${name}`);
    if (one === undefined) continue;
    const same = await made(0x0e0000 + index, [one], "2027-09-01T00:00:00Z");
    assert.match(textOf((await browser.post("/certificates/add/", { content: same })).html), /Same names as/);
    const shown = await browser.post(`/certificates/${id}/renew/`, { pem_content: same });
    assert.doesNotMatch(textOf(shown.html), /does not cover/);
  }
});

Deno.test("a successor of a false authority is shown with a warning, and an incident names the reason", async () => {
  await using app = await testApp();
  const client = await app.as("superuser");
  const browser = await browserOf(app);
  const name = { cn: "False Issuing" };
  const [root, pretender] = [await TestCa.root(name), await TestCa.root(name)];
  await callJson(client, "/api/plugins/certmgr/certificate-authorities/", "POST", {
    name: "Own",
    type: "internal",
    pem_content: root.pem,
  });
  const leaf = { cn: "false.acme.example", notAfter: "2027-10-31T23:59:59Z" };
  const { id } = await callJson(client, "/api/plugins/certmgr/certificates/", "POST", {
    pem_content: (await root.issue({ ...leaf, notAfter: "2027-01-31T23:59:59Z" })).pem,
  });
  await callJson(client, `/api/plugins/certmgr/certificates/${id}/validate-chain/`, "POST", {});
  const shown = async (by: TestCa): Promise<string> =>
    (await browser.post(`/certificates/${id}/renew/`, { pem_content: (await by.issue(leaf)).pem })).html;
  assert.doesNotMatch(textOf(await shown(root)), /chain of the new certificate is not valid/);
  assert.match(textOf(await shown(pretender)), /The chain of the new certificate is not valid: /);
  assert.doesNotMatch(await shown(root), /value="ca_incident" selected/);
  await callJson(client, "/api/plugins/certmgr/incidents/", "POST", {
    name: "Recall",
    kind: "ca_revocation",
    criteria: { filter: `id=${id}` },
  });
  assert.match(await shown(root), /value="ca_incident" selected/);
  await callJson(client, "/api/plugins/certmgr/incidents/", "POST", {
    name: "Audit",
    kind: "other",
    criteria: { filter: `id=${id}` },
  });
  const page = textOf((await browser.get(`/certificates/${id}/`)).html);
  assert.match(page, /because of the incidents .{0,9}Recall.{0,12}Audit/);
  // The API says the same, before and after, and names an incident that demands the successor, too.
  const path = `/api/plugins/certmgr/certificates/${id}/renew/`;
  const codes = async (input: unknown): Promise<string[]> =>
    (await callJson(client, path, "POST", input)).warnings.map(({ code }: { code: string }) => code);
  const { pem } = await pretender.issue(leaf);
  assert.deepEqual(await codes({ pem_content: (await root.issue(leaf)).pem, dry_run: true }), []);
  assert.deepEqual(await codes({ pem_content: pem, dry_run: true }), ["invalid_chain"]);
  const { id: successor } = await callJson(client, "/api/plugins/certmgr/certificates/", "POST", {
    pem_content: pem,
  });
  await callJson(client, "/api/plugins/certmgr/incidents/", "POST", {
    name: "Second recall",
    kind: "other",
    criteria: { filter: `id=${successor}` },
  });
  const by = await browser.post(`/certificates/${id}/renew/`, { certificate: String(successor) });
  assert.match(textOf(by.html), /Second recall demands that the new certificate is replaced, too\./);
  assert.deepEqual(await codes({ certificate: successor }), ["invalid_chain", "in_incident"]);
});

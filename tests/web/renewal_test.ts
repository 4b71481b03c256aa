/** The page that shows a renewal before it is done. */

import assert from "node:assert/strict";
import { sql } from "drizzle-orm";
import { granted } from "../support/actors.ts";
import { testApp } from "../support/app.ts";
import { pki } from "../support/pki.ts";
import { seed } from "../support/seed.ts";
import { metadata, storeCertificates } from "../support/stored.ts";
import { TestCa } from "../support/test_ca/mod.ts";
import { clear, makePolicies } from "../domain/compliance/support.ts";
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

Deno.test("after a renewal, the message links to the endpoints that still serve the replaced certificate", async () => {
  for (const count of [0, 1, 2]) {
    await using app = await testApp();
    const browser = await browserOf(app);
    await app.database.write((tx) =>
      tx.run(
        sql`UPDATE endpoints SET certificate_id = iif(id <= ${count}, ${seed.certificates.acmeWeb}, NULL)`,
      )
    );
    const done = await browser.post(PATH, {
      pem_content: await successor(["www.acme.example"]),
      confirmed: "yes",
    });
    const id = /\/certificates\/(\d+)\/$/.exec(
      done.headers.get("location") ?? "",
    )?.[1];
    const path = `/endpoints/?certificate__replaced_by_id=${id}`;
    const label = count === 1 ? "1 endpoint still serves the old one" : "2 endpoints still serve the old one";
    const [flash = ""] = done.headers.getSetCookie().filter((one) => one.startsWith("certmgr_flash="));
    const cookie = decodeURIComponent(flash.split(";")[0] ?? "");
    const link = count === 0 ? "" : `>${path} ${label}`;
    assert.ok(
      cookie.startsWith(`certmgr_flash=success${link}:Certificate renewed.`),
      cookie,
    );
    const { html } = await browser.get(`/certificates/${id}/`, {
      cookie: flash.split(";")[0] ?? "",
    });
    assert.equal(html.includes(`<a href="${path}">${label}</a>`), count > 0);
    if (count > 0) {
      assert.match(
        textOf((await browser.get(path)).html),
        new RegExp(`1–${count} of ${count}`),
      );
    }
  }
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
  assert.match(box, /<button[^>]* data-copy[^>]*>.*Copy names<\/button>/s);
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
    /Unchanged: Common name, valid from, issuer, key type, key pair,/,
  );
  const fresh = textOf(
    (await browser.post(path, { pem_content: other.pem })).html,
  );
  assert.doesNotMatch(fresh, /Same key reused/);
  assert.match(fresh, /Key pair Current key pair New key pair/);
  assert.match(
    fresh,
    /Unchanged: Common name, valid from, issuer, key type, subject alternative names/,
  );
});

Deno.test("a successor that is already in the inventory is offered, unless the user may not view it", async () => {
  await using app = await testApp();
  const pem = await successor(["www.acme.example"]);
  const [id] = await storeCertificates(app, [{
    pem_content: pem,
    tenant: { slug: "acme" },
  }]);
  const chief = await browserOf(app);
  const offered = await chief.post(PATH, { pem_content: pem });
  assert.equal(offered.status, 400);
  assert.match(textOf(offered.html), /already in the inventory/);
  assert.match(
    offered.html,
    new RegExp(`name="certificate" value="${id}"[^]*Use it as the successor`),
  );
  assert.match(
    textOf((await chief.post(PATH, { certificate: String(id) })).html),
    /Confirm renewal/,
  );
  const confined = await browserOf(
    app,
    granted([{
      types: ["certmgr.certificate"],
      actions: ["view", "add", "change", "import", "renew"],
      constraints: { id: seed.certificates.acmeWeb },
    }], { username: "confined" }),
  );
  const hidden = await confined.post(PATH, { pem_content: pem });
  assert.equal(hidden.status, 400);
  assert.doesNotMatch(hidden.html, /Use it as the successor/);
});

Deno.test("an existing successor gets tags, key location and description that it does not have, unless they are deselected", async () => {
  await using app = await testApp();
  const [tenant, tags] = [{ slug: "acme" }, [{ slug: "pci" }]];
  const names = { common_name: "copy.example", sans: ["copy.example"], tenant };
  const [id, first, second] = await storeCertificates(app, [
    metadata(1, {
      ...names,
      valid_to: "2027-01-31",
      tags,
      private_key_location: "vault:1",
      description: "Shop",
    }),
    metadata(2, { ...names, valid_to: "2027-02-28" }),
    metadata(3, {
      ...names,
      valid_to: "2027-03-31",
      private_key_location: "vault:3",
    }),
  ]);
  const path = `/certificates/${id}/renew/`;
  const confined = await browserOf(
    app,
    granted([
      { types: ["certmgr.certificate"], actions: ["view"] },
      {
        types: ["certmgr.certificate"],
        actions: ["change", "renew"],
        constraints: { id },
      },
      { types: ["extras.tag"], actions: ["view"] },
    ], { username: "confined" }),
  );
  const kept = await confined.post(path, { certificate: String(second) });
  assert.match(
    textOf(kept.html),
    /because you may not change it: Tags, description\./,
  );
  assert.doesNotMatch(kept.html, /name="copy_if_empty"/);
  const browser = await browserOf(app);
  const seen = await browser.post(path, { certificate: String(first) });
  const offered = [
    ...seen.html.matchAll(/name="copy_if_empty" value="(\w+)" checked/g),
  ].map(([, name]) => name);
  // The location of another key is offered, and not copied unasked.
  assert.deepEqual(offered, ["tags", "description"]);
  assert.match(seen.html, /name="copy_if_empty" value="private_key_location"(?! checked)/);
  assert.match(textOf(seen.html), /Tags PCI DSS PCI DSS copied .*Private key location vault:1 –/);
  await browser.post(path, {
    certificate: String(first),
    copy_if_empty: "tags",
    confirmed: "yes",
  });
  const [stored] = await app.database.all<Record<string, unknown>>(
    sql`SELECT private_key_location, description,
          (SELECT COUNT(*) FROM tagged_items WHERE object_id = certificates.id
            AND object_type = 'certmgr.certificate') AS tags FROM certificates WHERE id = ${first}`,
  );
  assert.deepEqual({ ...stored }, {
    private_key_location: "",
    description: "",
    tags: 1,
  });
});

Deno.test("an existing certificate that cannot be the successor is refused with the reason, and another one has its names compared", async () => {
  await using app = await testApp();
  const browser = await browserOf(app);
  const notAfter = "2027-10-31T23:59:59Z";
  const [foreign, less] = await Promise.all([
    pki.issuing.issue({
      cn: "other.example",
      sans: ["other.example"],
      notAfter,
    }),
    pki.issuing.issue({
      cn: "www.acme.example",
      sans: ["www.acme.example"],
      notAfter,
    }),
  ]);
  await storeCertificates(
    app,
    [foreign, less].map(({ pem }) => ({
      pem_content: pem,
      tenant: { slug: "acme" },
    })),
  );
  const refused = await browser.post(PATH, { pem_content: foreign.pem });
  assert.equal(refused.status, 400);
  assert.match(
    textOf(refused.html),
    /already in the inventory: other\.example \. The successor has no name in common with the certificate\. It is for "other\.example", the certificate for "www\.acme\.example" and "alt\.www\.acme\.example"\./,
  );
  assert.doesNotMatch(refused.html, /Use it as the successor/);
  const offered = await browser.post(PATH, { pem_content: less.pem });
  assert.match(
    textOf(offered.html),
    /Does not cover alt\.www\.acme\.example\. Use it as the successor/,
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
  const [warning, note] = [lines[0], lines[2]].map((line) => /<path d="([^"]+)"/.exec(line?.[2] ?? "")?.[1]);
  assert.notEqual(warning, note);
});

Deno.test("the current certificate is not its own successor", async () => {
  await using app = await testApp();
  const { status, html } = await (await browserOf(app)).post(PATH, {
    pem_content: pki.stored.acme.pem,
  });
  assert.equal(status, 400);
  assert.match(textOf(html), /This is the current certificate/);
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

Deno.test("a renewal names the policies that the new certificate would fail, as far as the user may view them", async () => {
  await using app = await testApp();
  await clear(app);
  await makePolicies(app, [
    {
      name: "Short <b>",
      policy_type: "max_validity_days",
      parameters: { max_days: 30 },
    },
    { name: "Wildcards", policy_type: "wildcard_forbidden" },
    {
      name: "Other tenant",
      policy_type: "max_validity_days",
      parameters: { max_days: 1 },
      tenant: { slug: "globex" },
    },
    {
      name: "Disabled",
      policy_type: "max_validity_days",
      parameters: { max_days: 1 },
      enabled: false,
    },
  ]);
  const pem_content = await successor([
    "www.acme.example",
    "alt.www.acme.example",
  ]);
  const shown = textOf(
    (await (await browserOf(app)).post(PATH, { pem_content })).html,
  );
  assert.match(
    shown,
    /The new certificate would fail 1 policy: Short <b> : .*valid for \d+ days/,
  );
  const types = ["certmgr.certificate"];
  const blind = await browserOf(
    app,
    granted([{ types, actions: ["view", "add", "change", "renew", "import"] }]),
  );
  const { html } = await blind.post(PATH, { pem_content });
  assert.match(textOf(html), /Confirm renewal/);
  assert.doesNotMatch(html, /would fail|Short/);
});

Deno.test("a renewal evaluates the chain as it would be stored: with issuers, without, and for a self-signed certificate", async () => {
  await using app = await testApp();
  await clear(app);
  await makePolicies(app, [{ name: "Chain", policy_type: "chain_required" }]);
  const browser = await browserOf(app);
  const names = {
    cn: "www.acme.example",
    sans: ["www.acme.example"],
    notAfter: "2027-10-31T23:59:59Z",
  };
  const alone = await pki.issuing.issue({ ...names, serial: 0x0b0003 });
  const own = await TestCa.root({ ...names, key: "ed25519", ca: false });
  for (
    const [what, pem_content, fails] of [
      ["with its issuer", alone.pem + pki.issuing.pem, false],
      ["alone", alone.pem, true],
      ["self-signed", own.pem, false],
    ] as const
  ) {
    const shown = textOf((await browser.post(PATH, { pem_content })).html);
    assert.match(shown, /Confirm renewal/, what);
    assert.equal(
      shown.includes("would fail 1 policy: Chain : No chain is stored."),
      fails,
      what,
    );
  }
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

Deno.test("the edit form asks whether the assignments move to a new successor", async () => {
  for (const moves of [true, false]) {
    await using app = await testApp();
    const browser = await browserOf(app);
    const path = `/certificates/${seed.certificates.acmeWeb}/edit/`;
    const { html } = await browser.get(path);
    assert.match(
      html,
      /name="move_assignments"[^>]* checked/,
    );
    const to = seed.certificates.acmeCritical;
    const { status } = await browser.post(path, {
      tenant: String(seed.tenants.acme),
      locked: [...html.matchAll(/name="locked" value="([^"]+)"/g)].map((
        [, name],
      ) => name).join(),
      status: "active",
      replaced_by: String(to),
      replacement_reason: "reissue",
      ...(moves ? { move_assignments: "true" } : {}),
    });
    assert.equal(status, 303);
    const rows = await app.database.all<{ id: number }>(
      sql`SELECT certificate_id AS id FROM certificate_assignments WHERE certificate_id IN (${to}, ${seed.certificates.acmeWeb})`,
    );
    assert.ok(rows.length > 0);
    assert.equal(
      rows.some(({ id }) => id === seed.certificates.acmeWeb),
      !moves,
    );
  }
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

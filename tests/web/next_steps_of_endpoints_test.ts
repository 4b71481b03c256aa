/** The next step on the page of an endpoint, by its state. */

import assert from "node:assert/strict";
import { sql } from "drizzle-orm";
import { auditor } from "../support/actors.ts";
import { type TestApp, testApp } from "../support/app.ts";
import { seed } from "../support/seed.ts";
import { TestCa } from "../support/test_ca/mod.ts";
import { browserOf, textOf } from "./imports/browser.ts";

const { acmeWeb, shared } = seed.certificates;
const path = `/endpoints/${seed.endpoints.acme}/`;

/** Stores a state, with what the endpoint serves and what is expected. */
async function found(
  { database }: TestApp,
  state: string,
  { served, expected, message = "Found.", reason = "" }: {
    served: number | null;
    expected: number | null;
    message?: string;
    reason?: string;
  },
): Promise<void> {
  await database.write((tx) =>
    tx.run(
      sql`UPDATE endpoints SET state = ${state}, state_message = ${message}, state_reason = ${reason},
        certificate_id = ${served}, expected_certificate_id = ${expected} WHERE id = ${seed.endpoints.acme}`,
    )
  );
}

const STEPS: readonly (readonly [state: string, step: RegExp])[] = [
  ["unreachable", /start the server, or <a href="\/endpoints\/\d+\/edit\/">/],
  ["tls_error", /check the TLS configuration/],
  ["name_mismatch", /serve a certificate for .*www\.acme\.example/s],
  [
    "untrusted",
    /href="\/certificates\/\d+\/renew\/">replace the certificate<\/a> with one of a tracked authority\./,
  ],
  ["incomplete_chain", /href="\/certificates\/\d+\/#chain"/],
  ["expired", /href="\/certificates\/\d+\/renew\/">renew the certificate/],
  ["expiring", /href="\/certificates\/\d+\/renew\/">renew the certificate/],
  ["superseded", /serve the certificate that replaced this one/],
];
for (const [state, step] of STEPS) {
  Deno.test(`The page of an endpoint that is ${state} says what is next`, async () => {
    await using app = await testApp();
    await found(app, state, { served: acmeWeb, expected: acmeWeb });
    const { html } = await (await browserOf(app)).get(path);
    const [, next = ""] = /<strong>Next:<\/strong>(.*?)<\/p>/s.exec(html) ?? [];
    assert.match(next, step);
    const viewed = await (await browserOf(app, auditor())).get(path);
    assert.match(viewed.html, /<strong>Next:/);
    assert.doesNotMatch(viewed.html, /href="[^"]*\/(?:edit|renew)\/"/);
  });
}

Deno.test("An endpoint that the settings forbid to probe is not said to be down", async () => {
  await using app = await testApp();
  await found(app, "unreachable", { served: null, expected: acmeWeb, reason: "not_allowed" });
  const { html } = await (await browserOf(app)).get(path);
  assert.match(
    html,
    /<strong>Next:<\/strong> let an administrator allow its network, or <a href="[^"]*\/edit\/">/,
  );
  assert.doesNotMatch(html, /start the server/);
});

Deno.test("An endpoint that serves a self-signed authority can have it tracked; one with an unknown root names its authority", async () => {
  await using app = await testApp();
  const browser = await browserOf(app);
  const root = await TestCa.root({ cn: "Lab Root" });
  const alone = await TestCa.selfSigned({ cn: "printer.example" });
  const served: number[] = [];
  for (const { pem } of [root, alone]) {
    const { location } = await browser.post("/certificates/new/", { pem_content: pem, status: "active" });
    served.push(Number(/\d+/.exec(location)));
  }
  const nextOf = async (certificate: number, reason: string): Promise<string> => {
    await found(app, "untrusted", { served: certificate, expected: null, reason });
    const { html } = await browser.get(path);
    return /<strong>Next:<\/strong>(.*?)<\/p>/s.exec(html)?.[1] ?? "";
  };
  const [ca = 0, leaf = 0] = served;
  assert.match(
    await nextOf(ca, "self_signed"),
    /, or <a href="\/authorities\/new\/\?name=Lab\+Root&amp;type=internal">track it as an authority<\/a>\./,
  );
  assert.match(
    await nextOf(leaf, "self_signed"),
    /replace the certificate<\/a> with one of a tracked authority\./,
  );
  assert.match((await browser.get("/endpoints/")).html, /class="step">Replace it with a trusted one</);
  // The page of the certificate has the same first step.
  assert.match(
    textOf((await browser.get(`/certificates/${leaf}/`)).html),
    /Next: Replace it with one of a tracked authority ?\./,
  );
  assert.match(
    await nextOf(leaf, "unknown_root"),
    new RegExp(
      `, or <a href="/authorities/new/">track the authority</a> in which\\s+<a href="/certificates/${leaf}/#chain">its chain</a> ends`,
    ),
  );
  assert.match((await browser.get("/endpoints/")).html, /class="step">Replace it, or track its authority</);
});

Deno.test("An endpoint whose chain ends below an unknown issuer can have it added as an authority, or its issuers served", async () => {
  await using app = await testApp();
  await found(app, "incomplete_chain", { served: acmeWeb, expected: null, reason: "unknown_issuer" });
  const nextOf = (html: string): string => /<strong>Next:<\/strong>(.*?)<\/p>/s.exec(html)?.[1] ?? "";
  const browser = await browserOf(app);
  const next = nextOf((await browser.get(path)).html);
  assert.match(
    next,
    /if it is your root,\s+<a href="\/authorities\/new\/\?type=internal">add it under Authorities</,
  );
  assert.match(
    textOf(next),
    /Otherwise serve the certificate together with those of its issuers: see its chain/,
  );
  assert.match(
    (await browser.get("/endpoints/")).html,
    /class="step">Complete its chain, or track its root</,
  );
  const viewed = await (await browserOf(app, auditor())).get(path);
  assert.match(textOf(nextOf(viewed.html)), /have it added under Authorities/);
});

Deno.test("An endpoint without problems has no next step", async () => {
  await using app = await testApp();
  await found(app, "ok", { served: acmeWeb, expected: acmeWeb });
  const { html } = await (await browserOf(app)).get(path);
  assert.doesNotMatch(html, /<strong>Next:/);
  assert.doesNotMatch(html, /Addresses differ/);
});

Deno.test("A button expects the certificate that an endpoint serves in place of another one", async () => {
  await using app = await testApp();
  await found(app, "wrong_certificate", { served: acmeWeb, expected: shared });
  const browser = await browserOf(app);
  const { html } = await browser.get(path);
  assert.match(html, new RegExp(`href="/certificates/${shared}/">serve the expected certificate`));
  assert.match(html, new RegExp(`name="certificate" value="${acmeWeb}"`));
  const viewer = await browserOf(app, auditor());
  assert.doesNotMatch((await viewer.get(path)).html, /Expect this certificate/);
  assert.equal((await viewer.post(`${path}expect/`, { certificate: String(acmeWeb) })).status, 403);
  assert.equal((await browser.post(`${path}expect/`, { certificate: String(acmeWeb) })).location, path);
  const [row] = await app.database.all<{ expected: number }>(
    sql`SELECT expected_certificate_id AS expected FROM endpoints WHERE id = ${seed.endpoints.acme}`,
  );
  assert.equal(row?.expected, acmeWeb);
});

Deno.test("A button accepts the found certificate that an endpoint serves, once", async () => {
  await using app = await testApp();
  await found(app, "wrong_certificate", { served: acmeWeb, expected: null });
  const browser = await browserOf(app);
  const accept = `/certificates/${acmeWeb}/accept/`;
  const status = async (): Promise<string | undefined> => {
    const [row] = await app.database.all<{ status: string }>(
      sql`SELECT status FROM certificates WHERE id = ${acmeWeb}`,
    );
    return row?.status;
  };
  assert.doesNotMatch((await browser.get(path)).html, /Accept its certificate/);
  await browser.post(accept);
  assert.equal(await status(), "active", "Nothing to accept");
  await app.database.write((tx) =>
    tx.run(sql`UPDATE certificates SET status = 'pending', discovered_via = 'endpoint' WHERE id = ${acmeWeb}`)
  );
  const viewer = await browserOf(app, auditor());
  assert.doesNotMatch((await viewer.get(path)).html, /Accept its certificate/);
  assert.doesNotMatch((await viewer.get(`/certificates/${acmeWeb}/`)).html, /accept\/"/);
  assert.equal((await viewer.post(accept)).status, 403);
  assert.equal(await status(), "pending");
  assert.match((await browser.get(path)).html, /Accept its certificate/);
  assert.match((await browser.get(`/certificates/${acmeWeb}/`)).html, new RegExp(`action="${accept}"`));
  assert.equal((await browser.post(accept)).location, `/certificates/${acmeWeb}/`);
  assert.equal(await status(), "active");
});

Deno.test("The page of an endpoint names all its states", async () => {
  await using app = await testApp();
  await found(app, "untrusted", { served: acmeWeb, expected: acmeWeb });
  await app.database.write((tx) =>
    tx.run(
      sql`UPDATE endpoints SET states = '["untrusted","incomplete_chain","expiring"]' WHERE id = ${seed.endpoints.acme}`,
    )
  );
  const { html, status } = await (await browserOf(app)).get(path);
  assert.equal(status, 200);
  assert.match(textOf(html), /Untrusted .*Also: incomplete chain, expiring\./);
});

/** A state with its message, the certificate that is expected, and what the page says. */
const SUMMARIES:
  readonly (readonly [state: string, message: string, expected: number | null, text: RegExp])[] = [
    [
      "expired",
      "The certificate expired on DATE. The addresses differ.",
      null,
      /^Expired since [^.]+\. The certificate expired on DATE\. The addresses differ\. ?Serves NAME\. It expires on DATE/,
    ],
    [
      "superseded",
      "The server still serves a certificate for NAME that was replaced.",
      shared,
      /^Superseded since [^.]+\. The server still .* ?Serves NAME\. It expires on DATE.*Expected certificate: /,
    ],
    [
      "ok",
      "The certificate is as expected.",
      acmeWeb,
      /^OK since [^.]+\. The certificate is as expected\. ?Serves NAME, the expected certificate\. It/,
    ],
    [
      "unreachable",
      "The connection was refused.",
      null,
      /^Unreachable since [^.]+\. The connection was refused\. ?Last known certificate: NAME\./,
    ],
    [
      "untrusted",
      "The certificate is self-signed.",
      null,
      /^Untrusted since [^.]+\. The certificate is self-signed\. ?Serves NAME\.(?!.*chain)/,
    ],
  ];
Deno.test("The summary of an endpoint says its state, the reason, and the served and the expected certificate", async () => {
  await using app = await testApp();
  const browser = await browserOf(app);
  const [row] = await app.database.all<{ name: string; at: number }>(
    sql`SELECT common_name AS name, valid_to AS at FROM certificates WHERE id = ${acmeWeb}`,
  );
  assert.ok(row);
  const filled = (given: string): string =>
    given.replaceAll("NAME", row.name).replaceAll("DATE", new Date(row.at).toISOString().slice(0, 10));
  for (const [state, message, expected, text] of SUMMARIES) {
    await found(app, state, { served: acmeWeb, expected, message: filled(message) });
    await app.database.write((tx) =>
      tx.run(sql`UPDATE endpoints SET last_changed = 0 WHERE id = ${seed.endpoints.acme}`)
    );
    const { html } = await browser.get(path);
    const [, summary = ""] = /<div class="summary [^"]*">(.*?)<\/div>/s.exec(html) ?? [];
    // The text has a space for each tag.
    const said = textOf(summary).trim().replaceAll(/ (?=[.,)])/g, "");
    assert.match(said, new RegExp(filled(text.source), "s"), `${state}: ${message}`);
  }
});

/** Revocation lists of hosts that are right, wrong, slow, large, redirecting or hostile. */

import assert from "node:assert/strict";
import { sql } from "drizzle-orm";
import { testApp } from "../../support/app.ts";
import { writtenBytes } from "../../support/store.ts";
import {
  buildCrl,
  ext,
  issuingPoint,
  TEST_NOW,
  TestCa,
  type TestCertificate,
} from "../../support/test_ca/mod.ts";
import { checked, empty, evidenceOf, type Handler, sending, startHost, stateOf, store } from "./support.ts";
import { checkDue } from "../../../src/domain/revocation/job.ts";
import { isShortLived } from "../../../src/domain/rules/mod.ts";

const DAY = 86_400_000;
const ca = await TestCa.root({ cn: "CA", keyUsage: ["keyCertSign", "cRLSign"] });
const other = await TestCa.root({ cn: "CA", keyUsage: ["keyCertSign", "cRLSign"], key: "p384" });

const crl = (bytes: Uint8Array, init: ResponseInit = {}): Response =>
  new Response(bytes as Uint8Array<ArrayBuffer>, {
    headers: { "content-type": "application/pkix-crl" },
    ...init,
  });

let issued = 0;
function issue(url: string, more: object = {}): Promise<TestCertificate> {
  return ca.issue({ cn: `c${++issued}.example`, extensions: [ext.crlDistributionPoints([url])], ...more });
}

Deno.test("a certificate is good, revoked, held and released, with evidence, change records and its former status", async () => {
  await using app = await testApp();
  await using host = startHost();
  await empty(app);
  const url = `${host.origin}/ca.crl`;
  const leaf = await issue(url);
  const { serial } = leaf.certificate;
  let input: Parameters<typeof buildCrl>[1] = {};
  host.answers.set("/ca.crl", async () => crl(await buildCrl(ca, input)));
  const id = await store(app, leaf.pem, ca.pem, { status: "pending" });
  assert.equal((await stateOf(app, id)).revocation_status, "not_checked");
  assert.equal((await checked(app, id)).revocation_status, "good");
  const [evidence] = await evidenceOf(app, id);
  assert.deepEqual(
    [evidence!.source, evidence!.status, evidence!.source_url, evidence!.signer, evidence!.message],
    ["crl", "good", url, "CN=CA", "Not revoked, says CN=CA."],
  );
  assert.match(String(evidence!.response_sha256), /^[0-9a-f]{64}$/);
  assert.equal(host.requests.length, 1);
  // Nothing is due before the list is requested again.
  await checked(app, id);
  assert.equal(host.requests.length, 1);
  for (
    const [reason, word, status] of [
      [6, "certificate_hold", "revoked"],
      [undefined, "", "pending"],
      [1, "key_compromise", "revoked"],
    ] as const
  ) {
    app.clock.advance(DAY + 700_000);
    const revoked = reason === undefined ? [] : [{ serial, reason, at: app.clock.now() - 60_000 }];
    input = { thisUpdate: app.clock.now() - 1_000, nextUpdate: app.clock.now() + 7 * DAY, revoked };
    const state = await checked(app, id);
    assert.deepEqual(
      [state.status, state.revocation_status, state.revocation_reason],
      [status, reason === undefined ? "good" : "revoked", word],
    );
    assert.equal(state.revoked_at !== null, reason !== undefined);
  }
  const admin = await app.as("superuser");
  const changes = await (await admin(
    `/api/core/object-changes/?changed_object_type=certmgr.certificate&changed_object_id=${id}&ordering=id`,
  )).json();
  const last = changes.results.at(-1);
  assert.equal(last.postchange_data.status, "revoked");
  assert.match(last.message, /^Revoked on 2026-06-.* \(key compromise\), says CN=CA\.$/);
  assert.deepEqual([last.prechange_data.status, last.user_name], ["pending", changes.results[1].user_name]);
  // A status that a user sets stays.
  await admin(`/api/plugins/certmgr/certificates/${id}/`, { method: "PATCH", body: { status: "active" } });
  app.clock.advance(DAY + 700_000);
  input = { thisUpdate: app.clock.now() - 1_000, nextUpdate: app.clock.now() + 7 * DAY };
  assert.deepEqual((await checked(app, id)).status, "active");
});

const CASES: readonly [name: string, answer: (url: string) => Promise<Handler> | Handler, message: RegExp][] =
  [
    ["another signer", async () => {
      const der = await buildCrl(other);
      return () => crl(der);
    }, /signature does not verify/],
    ["an expired list", async () => {
      const der = await buildCrl(ca, { thisUpdate: TEST_NOW - 9 * DAY, nextUpdate: TEST_NOW - DAY });
      return () => crl(der);
    }, /It was valid until/],
    ["a list from the future", async () => {
      const der = await buildCrl(ca, { thisUpdate: TEST_NOW + DAY });
      return () => crl(der);
    }, /in the future/],
    ["a list of another scope", async () => {
      const der = await buildCrl(ca, { extensions: [issuingPoint(new Uint8Array([0x82, 1, 0xff]))] });
      return () => crl(der);
    }, /only certificates of authorities/],
    ["an unknown critical extension", async () => {
      const der = await buildCrl(ca, {
        extensions: [{ oid: "1.2.3", critical: true, value: new Uint8Array([5, 0]) }],
      });
      return () => crl(der);
    }, /critical extension 1\.2\.3/],
    ["a truncated list", async () => {
      const der = await buildCrl(ca);
      return () => crl(der.subarray(0, der.length - 5));
    }, /not a revocation list/],
    ["a page", () => () => new Response("<html>"), /not a revocation list/],
    ["nothing", () => () => new Response(null, { status: 404 }), /answered 404/],
    ["an error", () => () => new Response(null, { status: 503 }), /answered 503/],
    ["a redirect to another host", () => () => Response.redirect("http://127.0.0.2/x", 302), /another host/],
    ["a redirect to itself", (url) => () => Response.redirect(url, 302), /redirects without end/],
    [
      "a redirect to a file",
      () => () => new Response(null, { status: 302, headers: { location: "file:///etc/passwd" } }),
      /another host/,
    ],
    ["an endless body", () => () => {
      const chunk = new Uint8Array(1024 * 1024);
      let sent = 0;
      return new Response(
        new ReadableStream({
          pull: (controller) => sent++ < 40 ? controller.enqueue(chunk) : controller.close(),
        }),
      );
    }, /larger than 16777216 bytes/],
    ["a bomb of compressed chunks", () => async () => {
      const zeros = new Response(new Uint8Array(8 * 1024 * 1024)).body!.pipeThrough(
        new CompressionStream("gzip"),
      );
      return new Response(await new Response(zeros).bytes(), { headers: { "content-encoding": "gzip" } });
    }, /not a revocation list/],
  ];

for (const [name, make, message] of CASES) {
  Deno.test(`a host that sends ${name} makes a certificate unavailable, and not good`, async () => {
    await using app = await testApp();
    await using host = startHost();
    await empty(app);
    const url = `${host.origin}/list`;
    host.answers.set("/list", await make(url));
    const id = await store(app, (await issue(url)).pem, ca.pem);
    const state = await checked(app, id);
    assert.deepEqual([state.revocation_status, state.status], ["unavailable", "active"]);
    const [evidence] = await evidenceOf(app, id);
    assert.match(String(evidence!.message), message);
    assert.equal(evidence!.status, "unavailable");
  });
}

Deno.test("hosts that are not public are not asked unless the settings allow it; others than http are not opened", async () => {
  await using app = await testApp();
  await using host = startHost();
  await empty(app);
  const url = `${host.origin}/list`;
  host.answers.set("/list", async () => crl(await buildCrl(ca)));
  const id = await store(app, (await issue(url)).pem, ca.pem);
  const ldap = await store(app, (await issue("ldap://ldap.example/cn=CA")).pem, ca.pem);
  const ctx = sending(app);
  const settings = { ...ctx.settings, revocation: { mode: "in_use", allowedNetworks: [] } as const };
  await checkDue({ ctx: { ...ctx, settings } });
  assert.equal(host.requests.length, 0);
  assert.equal((await stateOf(app, id)).revocation_status, "unavailable");
  assert.match(String((await evidenceOf(app, id))[0]!.message), /CERTMGR_REVOCATION_ALLOWED_NETWORKS/);
  assert.equal((await stateOf(app, ldap)).revocation_status, "not_checked");
});

Deno.test("one request for all certificates of a list, one at a time per host, none if it has not changed", async () => {
  await using app = await testApp();
  await using host = startHost();
  await empty(app);
  const der = await buildCrl(ca, { nextUpdate: TEST_NOW + 30 * DAY });
  const answer: Handler = async (request) => {
    await new Promise((resolve) => setTimeout(resolve, 20));
    return request.headers.get("if-none-match") === '"1"'
      ? new Response(null, { status: 304 })
      : crl(der, { headers: { etag: '"1"' } });
  };
  const ids: number[] = [];
  for (const path of ["/1", "/2", "/3"]) {
    host.answers.set(path, answer);
    for (let index = 0; index < 4; index++) {
      ids.push(await store(app, (await issue(host.origin + path)).pem, ca.pem));
    }
  }
  await checkDue({ ctx: sending(app) });
  assert.deepEqual(host.requests.toSorted(), ["GET /1", "GET /2", "GET /3"]);
  assert.equal(host.most(), 1);
  for (const id of ids) assert.equal((await stateOf(app, id)).revocation_status, "good");
  // A certificate that enters later is checked against the list that is kept.
  const late = await store(app, (await issue(`${host.origin}/1`)).pem, ca.pem);
  assert.equal((await checked(app, late)).revocation_status, "good");
  assert.equal(host.requests.length, 3);
  app.clock.advance(DAY + 700_000);
  await checkDue({ ctx: sending(app) });
  assert.equal(host.requests.length, 6);
  assert.equal((await stateOf(app, late)).revocation_status, "good");
  const lists = await (await (await app.as("superuser"))("/api/plugins/certmgr/revocation-lists/")).json();
  assert.equal(lists.count, 3);
  assert.deepEqual([lists.results[0].entries, lists.results[0].error, lists.results[0].issuer], [
    0,
    "",
    "CN=CA",
  ]);
});

Deno.test("a failure does not end an answer that is current; without one, the answer ends", async () => {
  await using app = await testApp();
  await using host = startHost();
  await empty(app);
  const url = `${host.origin}/list`;
  const der = await buildCrl(ca, { nextUpdate: TEST_NOW + 3 * DAY });
  host.answers.set("/list", () => crl(der));
  const id = await store(app, (await issue(url)).pem, ca.pem);
  assert.equal((await checked(app, id)).revocation_status, "good");
  host.answers.set("/list", () => new Response(null, { status: 500 }));
  app.clock.advance(DAY + 700_000);
  assert.equal((await checked(app, id)).revocation_status, "good");
  app.clock.advance(2 * DAY);
  assert.equal((await checked(app, id)).revocation_status, "unavailable");
  // The next attempt comes later each time, and one that works is used.
  host.requests.length = 0;
  for (let hour = 0; hour < 48; hour++) {
    app.clock.advance(3_600_000);
    await checkDue({ ctx: sending(app) });
  }
  assert(
    host.requests.length >= 6 && host.requests.length <= 12,
    `${host.requests.length} requests in two days`,
  );
});

Deno.test("certificates that need no check, or cannot have one", async () => {
  await using app = await testApp();
  await empty(app);
  const noRevocation = { oid: "2.5.29.56", value: new Uint8Array([5, 0]) };
  const short = { notBefore: TEST_NOW - DAY, notAfter: TEST_NOW + 5 * DAY };
  for (
    const [certificate, chain, expected] of [
      [await ca.issue({ cn: "a.example", extensions: [noRevocation] }), ca.pem, "not_needed"],
      [await ca.issue({ cn: "b.example", ...short }), ca.pem, "not_needed"],
      [await ca.issue({ cn: "c.example" }), ca.pem, "not_checked"],
      [await issue("http://192.0.2.1/x.crl"), "", "not_checked"],
      [await TestCa.selfSigned({ cn: "d.example" }), "", "not_needed"],
    ] as const
  ) {
    const id = await store(app, certificate.pem, chain);
    assert.equal((await checked(app, id)).revocation_status, expected, certificate.certificate.subject.text);
  }
});

Deno.test("how long a short-lived certificate may be valid is a rule: without it, none is short-lived", async () => {
  await using app = await testApp();
  await empty(app);
  const short = await ca.issue({ cn: "b.example", notBefore: TEST_NOW - DAY, notAfter: TEST_NOW + 5 * DAY });
  const id = await store(app, short.pem, ca.pem);
  const ctx = sending(app);
  await checkDue({ ctx: { ...ctx, settings: { ...ctx.settings, rules: [] } } });
  assert.equal((await stateOf(app, id)).revocation_status, "not_checked");
  const seven = { validFrom: TEST_NOW, validTo: TEST_NOW + 7 * DAY - 1_000 };
  const before = { validFrom: Date.UTC(2026, 2, 14), validTo: Date.UTC(2026, 2, 24) - 1_000 };
  for (
    const [one, expected] of [
      [seven, true],
      [{ ...seven, validTo: seven.validTo + 1_000 }, false],
      [before, true],
      [{ ...before, validTo: before.validTo + 1_000 }, false],
    ] as const
  ) {
    assert.equal(isShortLived(ctx.settings.rules, one), expected);
  }
});

Deno.test("a certificate that names no list has those of its authority", async () => {
  await using app = await testApp();
  await using host = startHost();
  await empty(app);
  const leaf = await ca.issue({ cn: "internal.example" });
  const der = await buildCrl(ca, { revoked: [{ serial: leaf.certificate.serial, reason: 4 }] });
  host.answers.set("/own.crl", () => crl(der));
  const admin = await app.as("superuser");
  const created = await admin("/api/plugins/certmgr/certificate-authorities/", {
    method: "POST",
    body: { name: "Own", pem_content: ca.pem, crl_urls: [`${host.origin}/own.crl`] },
  });
  assert.equal(created.status, 201);
  const refused = await admin("/api/plugins/certmgr/certificate-authorities/", {
    method: "POST",
    body: { name: "Wrong", crl_urls: ["ldap://x.example/"] },
  });
  assert.equal(refused.status, 400);
  assert("crl_urls" in await refused.json());
  const id = await store(app, leaf.pem, "");
  const state = await checked(app, id);
  assert.deepEqual([state.status, state.revocation_reason], ["revoked", "superseded"]);
});

Deno.test("certificates that are not in use are left out until they are; off checks nothing", async () => {
  await using app = await testApp();
  await using host = startHost();
  await empty(app);
  host.answers.set("/list", async () => crl(await buildCrl(ca)));
  const id = await store(app, (await issue(`${host.origin}/list`)).pem, ca.pem, { status: "revoked" });
  const due = async (): Promise<unknown> =>
    (await app.database.all<{ due: number | null }>(sql`SELECT revocation_due AS due FROM certificates`))[0]
      ?.due;
  await checkDue({ ctx: sending(app) });
  assert.deepEqual([host.requests.length, await due()], [0, null]);
  const admin = await app.as("superuser");
  await admin(`/api/plugins/certmgr/certificates/${id}/`, { method: "PATCH", body: { status: "active" } });
  assert.equal(await due(), 0);
  const ctx = sending(app);
  const off = {
    ...ctx,
    settings: { ...ctx.settings, revocation: { mode: "off", allowedNetworks: [] } as const },
  };
  await checkDue({ ctx: off });
  assert.equal(host.requests.length, 0);
  assert.equal((await checked(app, id)).revocation_status, "good");
  // Without checks, an answer that has ended does not count.
  app.clock.advance(2 * DAY);
  await checkDue({ ctx: off });
  assert.equal((await stateOf(app, id)).revocation_status, "good");
  app.clock.advance(5 * DAY);
  await checkDue({ ctx: off });
  assert.equal((await stateOf(app, id)).revocation_status, "not_checked");
});

Deno.test("another PEM has no evidence of the one before", async () => {
  await using app = await testApp();
  await using host = startHost();
  await empty(app);
  const url = `${host.origin}/list`;
  host.answers.set("/list", async () => crl(await buildCrl(ca)));
  const id = await store(app, (await issue(url)).pem, ca.pem);
  assert.equal((await checked(app, id)).revocation_status, "good");
  const admin = await app.as("superuser");
  const next = await issue(url);
  const response = await admin(`/api/plugins/certmgr/certificates/${id}/`, {
    method: "PATCH",
    body: {
      pem_content: next.pem,
      serial_number: next.certificate.serial.toHex(),
      fingerprint_sha256: next.certificate.fingerprintSha256,
    },
  });
  assert.equal(response.status, 200, await response.clone().text());
  assert.equal((await stateOf(app, id)).revocation_status, "not_checked");
  assert.deepEqual(await evidenceOf(app, id), []);
});

Deno.test("a run without anything to check takes one statement, and writes nothing", async () => {
  await using app = await testApp();
  await empty(app);
  const [statements, bytes] = [app.database.statements, await writtenBytes(app.database)];
  assert.deepEqual(await checkDue({ ctx: sending(app) }), { checked: 0 });
  assert.deepEqual([app.database.statements - statements, await writtenBytes(app.database)], [1, bytes]);
});

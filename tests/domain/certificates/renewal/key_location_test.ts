/** A certificate gets the location of the old one with its key, not with a new key. */

import assert from "node:assert/strict";
import { importRenewing } from "../../../../src/domain/certificates/renewal/renew.ts";
import { type TestApp, testApp } from "../../../support/app.ts";
import { callJson as call } from "../../../support/call_json.ts";
import { certificate, PATHS } from "../../../support/paths.ts";
import { TestCa, type TestCertificate } from "../../../support/test_ca/mod.ts";
import { browserOf } from "../../../web/imports/browser.ts";

const root = await TestCa.root({ key: "ed25519" });
const NAMES = { cn: "www.key.example", sans: ["www.key.example"] };
const old = await root.issue({ ...NAMES, key: "ed25519", notAfter: "2026-12-31" });
const sameKey = await root.issue({ ...NAMES, key: old.key, notAfter: "2027-12-31" });
const newKey = await root.issue({ ...NAMES, key: "ed25519", notAfter: "2027-12-31" });
const LOCATION = "vault: pki/www";

/** Renews the certificate `id`. Returns the id of its successor. */
type Way = (app: TestApp, id: number, next: TestCertificate) => Promise<number>;

async function stored(app: TestApp, { pem }: TestCertificate): Promise<number> {
  return (await call(await app.as("superuser"), PATHS.certificates, "POST", { pem_content: pem })).id;
}

async function renew(app: TestApp, id: number, body: Record<string, unknown>): Promise<number> {
  return (await call(await app.as("superuser"), certificate(id, "renew/"), "POST", body)).new.id;
}

async function successorOf(app: TestApp, id: number): Promise<number> {
  return (await call(await app.as("superuser"), certificate(id))).replaced_by.id;
}

const WAYS: readonly [what: string, way: Way, expected: [sameKey: string, newKey: string]][] = [
  ["a PEM", (app, id, { pem }) => renew(app, id, { pem_content: pem }), [LOCATION, ""]],
  ["a stored successor", async (app, id, next) => renew(app, id, { certificate: await stored(app, next) }), [
    "",
    "",
  ]],
  ["replaced_by", async (app, id, next) => {
    const replaced_by = await stored(app, next);
    await call(await app.as("superuser"), certificate(id), "PATCH", { replaced_by });
    return replaced_by;
  }, ["", ""]],
  ["an import", async (app, id, { pem, certificate: { fingerprintSha256 } }) => {
    const renewing = new Map([[fingerprintSha256, id]]);
    return (await importRenewing({ ctx: app.ctx, input: { pem_content: pem, renew: renewing } }))
      .renewed[0] as number;
  }, [LOCATION, ""]],
  ["the page of the renewal", async (app, id, { pem }) => {
    await (await browserOf(app)).post(`/certificates/${id}/renew/`, { pem_content: pem, confirmed: "yes" });
    return await successorOf(app, id);
  }, [LOCATION, ""]],
];
for (const [what, way, expected] of WAYS) {
  Deno.test(`location of the private key after a renewal by ${what}`, async () => {
    const found: unknown[] = [];
    for (const next of [sameKey, newKey]) {
      await using app = await testApp();
      const client = await app.as("superuser");
      const id = await stored(app, old);
      await call(client, certificate(id), "PATCH", { private_key_location: LOCATION });
      found.push((await call(client, certificate(await way(app, id, next)))).private_key_location);
    }
    assert.deepEqual(found, expected);
  });
}

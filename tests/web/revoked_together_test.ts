/** Several certificates that an authority revokes within a day suggest an incident, on its page and on theirs. */

import assert from "node:assert/strict";
import { sql } from "drizzle-orm";
import { DAY_MS, HOUR_MS } from "../../src/base/clock.ts";
import { incidents } from "../../src/domain/incidents/mod.ts";
import { createObject } from "../../src/resource/mod.ts";
import { granted } from "../support/actors.ts";
import { type TestApp, testApp } from "../support/app.ts";
import { browserOf } from "./imports/browser.ts";

const ISSUER = "CN=Mass CA, O=Acme & Sons";
const VIEW = {
  types: ["certmgr.certificate", "certmgr.certificateauthority", "certmgr.incident"],
  actions: ["view"],
};

/** Makes four certificates those of one authority, of which three were revoked so many milliseconds ago. */
async function revoke(app: TestApp, ago: readonly number[]): Promise<{ ids: number[]; authority: number }> {
  const rows = await app.database.all<{ id: number }>(
    sql`SELECT id FROM certificates WHERE kind <> 'ca' ORDER BY id LIMIT 4`,
  );
  const [authority] = await app.database.all<{ id: number }>(
    sql`SELECT min(id) AS id FROM certificate_authorities`,
  );
  const ids = rows.map(({ id }) => id);
  const now = app.clock.now();
  await app.database.write(async (tx) => {
    await tx.run(sql`DELETE FROM incidents`);
    for (const [index, id] of ids.entries()) {
      const at = ago[index] === undefined ? null : now - ago[index]!;
      await tx.run(
        sql`UPDATE certificates SET issuer = ${ISSUER}, issuing_ca_id = ${authority!.id}, revoked_at = ${at},
          revocation_status = ${at === null ? "good" : "revoked"} WHERE id = ${id}`,
      );
    }
  });
  return { ids, authority: authority!.id };
}

const linkIn = (html: string): string | undefined =>
  /href="(\/incidents\/new\/\?name=[^"]+)"/.exec(html)?.[1]?.replaceAll("&amp;", "&");

Deno.test("three revocations within a day suggest an incident with the authority filled in, until there is one", async () => {
  await using app = await testApp();
  const browser = await browserOf(app);
  const { ids, authority } = await revoke(app, [HOUR_MS, 2 * HOUR_MS, 20 * HOUR_MS]);
  for (const id of ids) {
    const { status, html } = await browser.get(`/certificates/${id}/`);
    assert.equal(status, 200);
    const params = new URL(linkIn(html) ?? "", "https://x.example").searchParams;
    assert.deepEqual(
      [params.get("kind"), params.get("criteria.issuers")],
      ["ca_revocation", ISSUER],
      `${id}`,
    );
  }
  const link = linkIn((await browser.get(`/certificates/${ids[3]}/`)).html)!;
  const { html: form } = await browser.get(link);
  assert.match(
    form,
    /<textarea[^>]*name="criteria\.issuers"[^>]*>\s*CN=Mass CA, O=Acme &amp; Sons\s*<\/textarea>/,
  );
  const own = linkIn((await browser.get(`/authorities/${authority}/`)).html);
  assert.match(own ?? "", /criteria\.filter=issuing_ca/);
  assert.equal((await browser.get(own!)).status, 200);
  await createObject({
    ctx: app.ctx,
    resource: incidents,
    input: { name: "Mass", kind: "ca_revocation", criteria: { issuers: [ISSUER] } },
  });
  for (const path of [`/certificates/${ids[3]}/`, `/authorities/${authority}/`]) {
    assert.equal(linkIn((await browser.get(path)).html), undefined, path);
  }
});

Deno.test("two revocations, or three within more than a day or long ago, suggest nothing; nor do they to users who may open none", async () => {
  for (
    const ago of [
      [HOUR_MS, 2 * HOUR_MS],
      [HOUR_MS, 2 * HOUR_MS, 26 * HOUR_MS],
      [8 * DAY_MS, 8 * DAY_MS, 8 * DAY_MS],
    ]
  ) {
    await using app = await testApp();
    const browser = await browserOf(app);
    const { ids, authority } = await revoke(app, ago);
    for (const path of [`/certificates/${ids[3]}/`, `/authorities/${authority}/`]) {
      assert.equal(linkIn((await browser.get(path)).html), undefined, path);
    }
  }
  await using app = await testApp();
  const { ids } = await revoke(app, [HOUR_MS, HOUR_MS, HOUR_MS]);
  const browser = await browserOf(app, granted([VIEW]));
  assert.equal(linkIn((await browser.get(`/certificates/${ids[3]}/`)).html), undefined);
});

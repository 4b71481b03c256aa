/** No constraint follows an automatic assignment to an object that the certificate's tenant does not own. */

import assert from "node:assert/strict";
import { sql } from "drizzle-orm";
import { granted, type GrantSpec } from "../../support/actors.ts";
import { testApp } from "../../support/app.ts";
import { callJson } from "../../support/call_json.ts";
import { certificate, PATHS } from "../../support/paths.ts";
import { metadata, storeCertificates } from "../../support/stored.ts";

const certificates = (constraints: Record<string, unknown>): GrantSpec[] => [
  { types: ["certmgr.certificate"], actions: ["view"], constraints },
];

/** Constraints, and whether they cover a revoked certificate with an assignment that is followed, and without one. */
const CASES: readonly [constraints: Record<string, unknown>, withOne: boolean, without: boolean][] = [
  [{ has_assignments: true }, true, false],
  [{ has_assignments: false }, false, true],
  [{ assigned_or_served: true }, true, false],
  [{ assigned_or_served: false }, false, true],
  [{ in_use: true }, true, false],
  [{ in_use: false }, false, true],
  [{ device_id: 50 }, true, false],
  [{ device__name: "evil" }, true, false],
  [{ has_owner: true }, true, false],
];
for (const [constraints, withOne, without] of CASES) {
  Deno.test(`constraint ${JSON.stringify(constraints)}: automatic assignments`, async () => {
    await using app = await testApp();
    const [id] = await storeCertificates(app, [
      metadata(1, { tenant: { slug: "acme" }, status: "revoked" }),
    ]) as [number];
    await app.database.write((tx) =>
      tx.runAll([
        sql`INSERT INTO devices (id, name, created, last_updated) VALUES (50, 'evil', 0, 0)`,
        sql`INSERT INTO contacts (id, name, created, last_updated) VALUES (50, 'Mallory', 0, 0)`,
        sql`DELETE FROM contact_assignments`,
        sql`INSERT INTO contact_assignments (object_type, object_id, contact_id, created, last_updated)
          VALUES ('dcim.device', 50, 50, 0, 0)`,
        sql`INSERT INTO certificate_assignments
            (certificate_id, assigned_object_type, assigned_object_id, automatic, created, last_updated)
          VALUES (${id}, 'dcim.device', 50, 1, 0, 0)`,
      ])
    );
    const admin = await app.as("superuser");
    const mallory = await app.as(granted(certificates(constraints)));
    const isShown = async (): Promise<boolean> => (await mallory(certificate(id))).status === 200;
    assert.equal(await isShown(), without, "an automatic one");
    const { results } = await callJson(admin, `${PATHS.certificates}?has_assignments=true&device_id=50`);
    assert.equal(results[0]?.id, id, "filters find it");
    const ofTenant = sql`UPDATE devices SET tenant_id = (SELECT tenant_id FROM certificates WHERE id = ${id})
      WHERE id = 50`;
    await app.database.write((tx) => tx.run(ofTenant));
    assert.equal(await isShown(), withOne, "an automatic one, to an object of the tenant");
    await app.database.write((tx) =>
      tx.runAll([
        sql`UPDATE devices SET tenant_id = NULL`,
        sql`UPDATE certificate_assignments SET automatic = 0`,
      ])
    );
    assert.equal(await isShown(), withOne, "one that someone made");
  });
}

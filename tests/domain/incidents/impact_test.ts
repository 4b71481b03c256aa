/** The preview of an incident counts by site: through devices, virtual machines and services that the caller may view. */

import assert from "node:assert/strict";
import { sql } from "drizzle-orm";
import { granted } from "../../support/actors.ts";
import { testApp } from "../../support/app.ts";
import { callJson } from "../../support/call_json.ts";

const PREVIEW = "/api/plugins/certmgr/incidents/preview/";
const HOSTS = [
  "dcim.device",
  "virtualization.virtualmachine",
  "ipam.service",
  "certmgr.certificateassignment",
];

Deno.test("certificates count for each site at which a visible system has them, and else for none", async () => {
  await using app = await testApp();
  await app.database.write((tx) =>
    tx.runAll([
      sql`DELETE FROM certificate_assignments`,
      sql`INSERT INTO sites (id, name, slug, created, last_updated)
        VALUES (91, 'Berlin', 'berlin', 0, 0), (92, 'Oslo', 'oslo', 0, 0)`,
      sql`INSERT INTO devices (id, name, site_id, created, last_updated)
        VALUES (91, 'd1', 91, 0, 0), (92, 'd2', NULL, 0, 0)`,
      sql`INSERT INTO virtual_machines (id, name, site_id, created, last_updated) VALUES (91, 'v1', 92, 0, 0)`,
      sql`INSERT INTO services (id, name, parent_object_type, parent_object_id, created, last_updated)
        VALUES (91, 's1', 'virtualization.virtualmachine', 91, 0, 0)`,
      sql`INSERT INTO certificate_assignments (certificate_id, assigned_object_type, assigned_object_id, created, last_updated)
        VALUES (1, 'dcim.device', 91, 0, 0), (1, 'ipam.service', 91, 0, 0),
          (2, 'virtualization.virtualmachine', 91, 0, 0), (3, 'dcim.device', 92, 0, 0)`,
    ])
  );
  const criteria = { filter: "id=1&id=2&id=3" };
  const sitesFor = async (...actor: Parameters<typeof app.as>): Promise<unknown[]> => {
    const { by_site: sites } = await callJson(await app.as(...actor), PREVIEW, "POST", { criteria });
    return sites.map(({ site, affected }: { site: { display: string } | null; affected: number }) =>
      `${site?.display}: ${affected}`
    ).toSorted();
  };
  assert.deepEqual(await sitesFor("superuser"), ["Berlin: 1", "Oslo: 2", "undefined: 1"]);
  const everything = [...HOSTS, "dcim.site"];
  for (
    const [missing, expected] of [
      ["", ["Berlin: 1", "Oslo: 2", "undefined: 1"]],
      ["dcim.site", ["undefined: 4"]],
      ["dcim.device", ["Oslo: 2", "undefined: 1"]],
      ["virtualization.virtualmachine", ["Berlin: 1", "undefined: 2"]],
      ["ipam.service", ["Berlin: 1", "Oslo: 1", "undefined: 1"]],
      ["certmgr.certificateassignment", ["undefined: 3"]],
    ] as const
  ) {
    const actor = granted([
      { types: ["certmgr.incident"], actions: ["view", "manage_incidents"] },
      { types: ["certmgr.certificate", ...everything.filter((one) => one !== missing)], actions: ["view"] },
    ], { username: `without-${missing}` });
    assert.deepEqual(await sitesFor(actor), expected, missing);
  }
});

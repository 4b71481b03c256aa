/** The import from a NetBox, against its API on a local server. */

import assert from "node:assert/strict";
import { sql } from "drizzle-orm";
import { openFileDatabase } from "../../src/db/file_client.ts";
import { netboxInventory, type NetboxServer, startNetbox } from "../support/netbox_api.ts";
import { TestCa } from "../support/test_ca/mod.ts";
import { moveThroughKill } from "./netbox_move.ts";
import { certmgr, type Environment, testFolder } from "./process.ts";

const COUNT = 450;
const ca = await TestCa.root({ cn: "NetBox Root" });
const leaf = await ca.issue({ cn: "www-0.acme.example" });

interface Report {
  readonly kinds: Readonly<Record<string, Readonly<Record<string, number>>>>;
  readonly refused: readonly { kind: string; id: number; reason: string }[];
}

async function start(folder: string, count = COUNT): Promise<{ netbox: NetboxServer; env: Environment }> {
  const netbox = startNetbox(netboxInventory({ count, pem: { pem: leaf.pem, chain: ca.pem } }));
  await Deno.writeTextFile(`${folder}/token`, `${netbox.token}\n`);
  return { netbox, env: { CERTMGR_DATA_DIR: `${folder}/data` } };
}

function args(netbox: NetboxServer, folder: string): string[] {
  return ["import", "netbox", "--from", `${netbox.url}/`, "--token-file", `${folder}/token`];
}

async function importAll(given: string[], env: Environment): Promise<Report & { code: number }> {
  const { code, stdout, stderr } = await certmgr([...given, "--json"], { env });
  assert.equal(stderr, "");
  return { ...JSON.parse(stdout) as Report, code };
}

function sum({ kinds }: Report, name: string): number {
  return Object.values(kinds).reduce((all, kind) => all + (kind[name] ?? 0), 0);
}

Deno.test("an inventory is imported despite network errors; a second run changes nothing, a third one only what changed", async () => {
  await using folder = await testFolder();
  const { netbox, env } = await start(folder.path);
  await using _ = netbox;
  const total = Object.values(netbox.lists).flat().length;
  const rehearsed = await importAll([...args(netbox, folder.path), "--dry-run"], env);
  assert.deepEqual([sum(rehearsed, "created"), rehearsed.code], [total, 0]);

  netbox.faults.push(
    { about: "certificates/?limit=200&offset=200", kind: 429 },
    { about: "certificates/?limit=200&offset=200", kind: "broken" },
    { about: "devices", kind: 502 },
    { about: "assignments/?limit=200&offset=100", kind: "broken" },
  );
  const first = await importAll(args(netbox, folder.path), env);
  assert.deepEqual(first.refused, []);
  assert.deepEqual([sum(first, "created"), sum(first, "updated"), first.code], [total, 0, 0]);
  assert.equal(first.kinds.certificates?.created, COUNT);

  const database = await openFileDatabase({ path: `${folder.path}/data/certmgr.db` });
  try {
    const [numbers] = await database.all(
      sql`SELECT count(*) AS certificates, count(pem.certificate_id) AS with_pem, count(replaced_by_id) AS replaced
        FROM certificates LEFT JOIN certificate_texts AS pem ON pem.certificate_id = certificates.id AND pem.der IS NOT NULL`,
    );
    assert.deepEqual(numbers, { certificates: COUNT, with_pem: 1, replaced: 1 });
  } finally {
    database.close();
  }

  const second = await importAll(args(netbox, folder.path), env);
  assert.deepEqual([sum(second, "created"), sum(second, "updated"), sum(second, "unchanged")], [0, 0, total]);

  const [tenant] = netbox.lists["tenancy/tenants"] ?? [];
  assert(tenant !== undefined);
  tenant.description = "Renamed";
  const third = await importAll(args(netbox, folder.path), env);
  assert.deepEqual([third.kinds.tenants, sum(third, "updated")], [
    { created: 0, updated: 1, unchanged: 2, refused: 0 },
    1,
  ]);
});

Deno.test("an interrupted import continues where it stopped, and stores nothing twice", async () => {
  await using folder = await testFolder();
  const { netbox, env } = await start(folder.path);
  await using _ = netbox;
  netbox.faults.push({ about: "certificates/?limit=200&offset=200", kind: 403 });
  const stopped = await certmgr([...args(netbox, folder.path), "--json"], { env });
  assert.equal(stopped.code, 1);
  assert.match(
    stopped.stderr,
    /certificates.*status 403\. Use a valid token that may view these objects\./,
  );
  const rest = await importAll(args(netbox, folder.path), env);
  assert.deepEqual(rest.kinds.certificates, {
    created: COUNT - 200,
    // The certificate that refers to a successor was not complete.
    updated: 1,
    unchanged: 199,
    refused: 0,
  });
  assert.equal(rest.kinds.assignments?.created, COUNT);
});

Deno.test("an import that is killed in the middle continues when the command runs again, and a second run changes nothing", async () => {
  await using folder = await testFolder();
  const { netbox, env } = await start(folder.path);
  await using _ = netbox;
  await moveThroughKill(netbox, { args: args(netbox, folder.path), env });
});

Deno.test("custom fields move with their definitions, values and references; comments, contacts and nested groups, too", async () => {
  await using folder = await testFolder();
  const { netbox, env } = await start(folder.path, 3);
  await using _ = netbox;
  assert.deepEqual((await importAll(args(netbox, folder.path), env)).refused, []);
  const database = await openFileDatabase({ path: `${folder.path}/data/certmgr.db` });
  try {
    const [row] = await database.all<{ fields: string; host: string; comments: string; contact: string }>(
      sql`SELECT certificates.custom_fields AS fields, certificates.comments AS comments, devices.name AS host,
          contacts.name AS contact FROM certificates
        JOIN devices ON devices.id = certificates.custom_fields->>'host'
        JOIN contact_assignments ON object_type = 'certmgr.certificate' AND object_id = certificates.id
        JOIN contacts ON contacts.id = contact_id ORDER BY certificates.id`,
    );
    const { cost_center, stage } = JSON.parse(row?.fields ?? "{}");
    assert.deepEqual([cost_center, stage, row?.host, row?.comments, row?.contact], [
      "K-0",
      "live",
      "host-0",
      "Order *0*",
      "Team Web",
    ]);
    const groups = await database.all(
      sql`SELECT contact_groups.slug AS slug FROM contact_group_members
        JOIN contact_groups ON contact_groups.id = contact_group_id ORDER BY 1`,
    );
    assert.deepEqual(groups.map(({ slug }) => slug), ["on-call", "web"]);
    const tree = await database.all(
      sql`SELECT inner_group.slug AS slug, outer_group.slug AS parent FROM tenant_groups AS inner_group
        JOIN tenant_groups AS outer_group ON outer_group.id = inner_group.parent_id`,
    );
    assert.deepEqual(tree, [{ slug: "customers", parent: "everyone" }]);
    const types = await database.all(sql`SELECT object_types FROM custom_fields ORDER BY id LIMIT 1`);
    assert.deepEqual(types, [{ object_types: '["certmgr.certificate"]' }]);
  } finally {
    database.close();
  }
});

Deno.test("objects that exist already are taken over; what cannot be stored is reported with its reason", async () => {
  await using folder = await testFolder();
  const { netbox, env } = await start(folder.path, 3);
  await using _ = netbox;
  const { "tenancy/tenants": tenants = [], "plugins/ssl/certificates": certificates = [] } = netbox.lists;
  await importAll([...args(netbox, folder.path), "--only", "tags,tenant-groups,tenants"], env);
  // Another NetBox at another address, with the same tenants under other ids.
  await using other = startNetbox(structuredClone(netbox.lists));
  const moved = await importAll([...args(other, folder.path), "--only", "tags,tenant-groups,tenants"], env);
  assert.deepEqual([sum(moved, "created"), sum(moved, "updated")], [0, 3 + tenants.length]);

  Object.assign(certificates[1] as object, { algorithm: "morse" });
  const report = await importAll(args(netbox, folder.path), env);
  assert.equal(report.code, 1);
  assert.deepEqual(report.refused.map(({ kind, id }) => [kind, id]), [["certificates", 5_001], [
    "assignments",
    9_001,
  ]]);
  assert.match(report.refused[0]?.reason ?? "", /^algorithm: Expected one of /);
  assert.match(report.refused[1]?.reason ?? "", /^certificate: the certificate 5001 .*was not imported\.$/);
});

Deno.test("a plugin path that does not exist is refused before anything is imported", async () => {
  await using folder = await testFolder();
  const { netbox, env } = await start(folder.path, 3);
  await using _ = netbox;
  const given = [...args(netbox, folder.path), "--plugin-path", "plugins/nope"];
  const { code, stdout, stderr } = await certmgr(given, { env });
  assert.deepEqual([code, stdout], [1, ""]);
  assert.match(stderr, /"plugins\/nope" does not exist at http:\S+\/api\/\. Use --plugin-path /);
  assert.deepEqual(netbox.requests.filter((address) => !address.includes("plugins/nope")), []);
  const tagsOnly = await importAll([...given, "--only", "tags"], env);
  assert.deepEqual([tagsOnly.code, Object.keys(tagsOnly.kinds)], [0, ["tags"]]);
});

const WRONG: readonly [what: string, args: string[], line: RegExp][] = [
  [
    "an invalid address",
    ["--from", "netbox", "--token-file", "deno.json"],
    /Invalid address "netbox" for --from/,
  ],
  [
    "a missing token file",
    ["--from", "http://127.0.0.1:4", "--token-file", "/no/token"],
    /cannot be read/,
  ],
  [
    "an unknown kind",
    ["--from", "http://127.0.0.1:4", "--token-file", "/dev/null", "--only", "tents"],
    /"tents" for --only/,
  ],
];
for (const [what, given, line] of WRONG) {
  Deno.test(`import netbox with ${what} exits with code 2 and the next step`, async () => {
    await using folder = await testFolder();
    const { code, stderr } = await certmgr(["import", "netbox", ...given], {
      env: { CERTMGR_DATA_DIR: `${folder.path}/data` },
    });
    assert.equal(code, 2);
    assert.match(stderr, line);
  });
}

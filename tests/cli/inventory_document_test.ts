/** Moves a whole inventory from one instance into an empty one, and compares the exports of both. */

import assert from "node:assert/strict";
import { sql } from "drizzle-orm";
import { seed, seededDatabase } from "../support/seed.ts";
import { certmgr, type Environment, startCommand, testFolder } from "./process.ts";

type Line = { kind: string; record: Record<string, unknown> & { id: number } };

async function exported(file: string, env: Environment): Promise<Line[]> {
  const { code, stderr } = await certmgr(["export", "--inventory", "--output", file], { env });
  assert.equal(code, 0, stderr);
  const [head, ...lines] = JSON.parse(await Deno.readTextFile(file));
  assert.equal(head.certmgr_inventory, 1);
  return lines;
}

/**
 * Returns the lines without values that differ between instances: ids become positions among the objects of their type.
 */
function comparable(lines: readonly Line[]): unknown[] {
  const places = new Map<string, number>();
  const byKind = Map.groupBy(lines, ({ kind }) => kind);
  for (const [kind, all] of byKind) {
    all.forEach(({ record: { id } }, index) => places.set(`${kind} ${id}`, index));
  }
  const kinds: Record<string, string> = {
    "dcim.device": "devices",
    "virtualization.virtualmachine": "virtual-machines",
    "ipam.service": "services",
    "certmgr.certificate": "certificates",
    "certmgr.certificateauthority": "authorities",
    "tenancy.tenant": "tenants",
    "tenancy.contact": "contacts",
    "dcim.site": "sites",
  };
  const plain = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(plain);
    if (typeof value !== "object" || value === null) return value;
    const { id: _, url: __, display_url: ___, last_updated: ____, created: _____, ...rest } = value as Record<
      string,
      unknown
    >;
    return Object.fromEntries(Object.entries(rest).map(([name, one]) => [name, plain(one)]));
  };
  return lines.map(({ kind, record }) => {
    const place = (type: unknown, id: unknown): unknown =>
      id === null ? null : places.get(`${kinds[String(type)]} ${id}`) ?? `no place of ${type} ${id}`;
    const refs = ["assigned_object", "parent_object", "object"].filter((name) => `${name}_id` in record).map((
      name,
    ) => [`${name}_id`, place(record[`${name}_type`], record[`${name}_id`])] as const);
    const certificate = typeof record.certificate === "number"
      ? { certificate: place("certmgr.certificate", record.certificate) }
      : {};
    return { kind, ...plain(record) as object, ...Object.fromEntries(refs), ...certificate };
  });
}

/**
 * Creates the seeded inventory, which has everything: custom fields, contacts, comments, notices, archived and pinned
 * certificates.
 */
async function source(folder: string): Promise<Environment> {
  await Deno.mkdir(folder, { recursive: true });
  await using seeded = await seededDatabase();
  const { acmeWeb, globexWeb } = seed.certificates as Record<string, number>;
  await seeded.write((tx) =>
    tx.runAll([
      sql`UPDATE certificates SET comments = '*Seen*', description = 'Front', renewal_note = 'Call first',
        expiry_notices = '["9d","10%"]', pinned = 1, archived = 1, status = 'replaced', replaced_by_id = ${
        globexWeb ?? 2
      } WHERE id = ${acmeWeb ?? 1}`,
      sql`UPDATE devices SET custom_fields = '{"room":"R1"}' WHERE id = 1`,
      sql`UPDATE tenants SET comments = 'Ours', expiry_notices = '[]' WHERE id = 1`,
    ])
  );
  for (const end of ["", "-wal", "-shm"]) {
    await Deno.copyFile(seeded.path + end, `${folder}/source.db${end}`).catch(() => {});
  }
  return { CERTMGR_DATABASE_URL: `file:${folder}/source.db` };
}

Deno.test("everything that is exported from one instance and imported into an empty one is equal, and a second import changes nothing", async () => {
  await using folder = await testFolder();
  const from = await source(folder.path);
  const certificates = Object.values(seed.certificates);
  await certmgr(["user", "list"], { env: from });
  const before = await exported(`${folder.path}/a.json`, from);
  const kinds = new Set(before.map(({ kind }) => kind));
  for (
    const kind of [
      "custom-fields",
      "tenants",
      "contacts",
      "contact-assignments",
      "certificates",
      "assignments",
    ]
  ) {
    assert(kinds.has(kind), `No ${kind} in the document`);
  }
  const shown = before.filter(({ kind }) => kind === "certificates").map(({ record }) => record);
  assert.equal(shown.length, certificates.length);
  const rich = shown.find(({ comments }) => comments === "*Seen*");
  assert.deepEqual(
    [rich?.renewal_note, rich?.archived, rich?.pinned, rich?.expiry_notices, rich?.description],
    ["Call first", true, true, ["9d", "10%"], "Front"],
  );
  assert(shown.some(({ pem_content }) => String(pem_content).startsWith("-----BEGIN CERTIFICATE-----")));
  const rooms = before.filter(({ kind }) => kind === "devices").map(({ record }) =>
    (record.custom_fields as Record<string, unknown>).room
  );
  assert.deepEqual(rooms, ["R1", null, null]);
  const to = { CERTMGR_DATA_DIR: `${folder.path}/data` };
  const first = await certmgr(["import", `${folder.path}/a.json`, "--json"], { env: to });
  const report = JSON.parse(first.stdout);
  assert.deepEqual([report.results[0].errors, report.created_count, first.code], [[], before.length, 0]);
  const after = await exported(`${folder.path}/b.json`, to);
  assert.deepEqual(comparable(after), comparable(before));
  const second = JSON.parse(
    (await certmgr(["import", `${folder.path}/a.json`, "--json"], { env: to })).stdout,
  );
  assert.deepEqual([second.created_count, second.updated_count, second.unchanged_count], [
    0,
    0,
    before.length,
  ]);
});

Deno.test("a killed import of a document continues; a truncated document is reported", async () => {
  await using folder = await testFolder();
  const from = await source(folder.path);
  const lines = await exported(`${folder.path}/a.json`, from);
  const to = { CERTMGR_DATA_DIR: `${folder.path}/data` };
  const child = startCommand(["import", `${folder.path}/a.json`], to);
  while (await Deno.stat(`${folder.path}/data/certmgr.db`).then(() => false, () => true)) {
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  child.kill("SIGKILL");
  await Promise.all([child.stdout.cancel(), child.stderr.cancel(), child.status]);
  const rest = JSON.parse((await certmgr(["import", `${folder.path}/a.json`, "--json"], { env: to })).stdout);
  assert.equal(rest.created_count + rest.updated_count + rest.unchanged_count, lines.length);
  assert.deepEqual(comparable(await exported(`${folder.path}/b.json`, to)), comparable(lines));

  const text = await Deno.readTextFile(`${folder.path}/a.json`);
  await Deno.writeTextFile(`${folder.path}/cut.json`, `${text.split("\n").slice(0, 4).join("\n")}\n`);
  const cut = await certmgr(["import", `${folder.path}/cut.json`, "--json"], { env: to });
  assert.equal(cut.code, 1);
  assert.deepEqual(JSON.parse(cut.stdout).results[0].errors, [
    "The document ends too early. The records before its end were imported.",
  ]);
});

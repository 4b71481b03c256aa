/** A database with the first released schema and rows in each of its tables. */

import { type SQL, sql } from "drizzle-orm";
import { hashKey } from "../../src/auth/mod.ts";
import { type Database, migrate, MIGRATIONS } from "../../src/db/mod.ts";

export const CERTIFICATES = 3_000;
/** Key of a superuser's token. */
export const OLD_KEY = "OldKey".padEnd(40, "0");

const DAY = 86_400_000;

/** Returns a statement that inserts rows 1 to `count` into a table; `values` are SQL expressions of `i`. */
function rows(table: string, count: number, values: Readonly<Record<string, string>>): SQL {
  return sql.raw(
    `WITH RECURSIVE numbers (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM numbers WHERE i < ${count})
      INSERT INTO ${table} (${Object.keys(values).join(", ")}) SELECT ${
      Object.values(values).join(", ")
    } FROM numbers`,
  );
}

function statements(now: number): SQL[] {
  const times = { created: `${now - DAY} - i`, last_updated: `${now} - i` };
  const pem =
    `'-----BEGIN CERTIFICATE-----' || char(10) || hex(randomblob(900)) || char(10) || '-----END CERTIFICATE-----'`;
  return [
    rows("users", 20, {
      username: `'user' || i`,
      is_superuser: "i = 1",
      password_hash: `'scrypt$' || i`,
      ...times,
    }),
    rows("groups", 4, { name: `'group ' || i`, ...times }),
    rows("user_groups", 20, { user_id: "i", group_id: "i % 4 + 1" }),
    rows("tokens", 20, {
      user_id: "i",
      key_hash: `CASE i WHEN 1 THEN '${hashKey(OLD_KEY)}' ELSE hex(randomblob(32)) END`,
      key_prefix: `'prefix' || i`,
      allowed_ips: `'[]'`,
      ...times,
    }),
    rows("object_permissions", 8, {
      name: `'permission ' || i`,
      object_types: `'["certmgr.certificate"]'`,
      actions: `'["view","import"]'`,
      constraints: `CASE WHEN i % 2 THEN json_object('tenant__slug', 'tenant-' || i) END`,
      ...times,
    }),
    rows("object_permission_users", 8, { object_permission_id: "i", user_id: "i + 1" }),
    rows("object_permission_groups", 4, { object_permission_id: "i", group_id: "i" }),
    rows("sessions", 5, {
      user_id: "i",
      secret_hash: `'secret' || i`,
      csrf: `'csrf'`,
      created: `${now}`,
      expires: `${now + DAY}`,
      last_seen: `${now}`,
    }),
    rows("tenants", 12, {
      name: `'Tenant ' || i`,
      slug: `'tenant-' || i`,
      description: `'Größe "' || i`,
      ...times,
    }),
    rows("tags", 9, { name: `'Tag ' || i`, slug: `'tag-' || i`, ...times }),
    rows("devices", 200, { name: `'device-' || i`, tenant_id: "i % 12 + 1", ...times }),
    rows("virtual_machines", 100, { name: `'vm-' || i`, tenant_id: "nullif(i % 13, 0)", ...times }),
    rows("services", 150, {
      name: `'service-' || i`,
      ports: `json_array(443, 8000 + i)`,
      parent_object_type:
        `CASE i % 3 WHEN 0 THEN 'dcim.device' WHEN 1 THEN 'virtualization.virtualmachine' END`,
      parent_object_id: "CASE WHEN i % 3 < 2 THEN i % 100 + 1 END",
      ...times,
    }),
    rows("certificate_authorities", 6, { name: `'CA ' || i`, issuer_pattern: `'issuer ' || i`, ...times }),
    rows("certificates", CERTIFICATES, {
      common_name: `'host-' || i || '.example'`,
      serial_number: `printf('00:%06X', i)`,
      serial_hex: `printf('%x', i)`,
      issuer: `'CN=Issuer ' || (i % 6)`,
      valid_from: `${now} - (i % 400) * ${DAY}`,
      valid_to: `${now} + (i % 400 - 40) * ${DAY}`,
      fingerprint_sha256: `printf('%064X', i)`,
      fingerprint_hex: `printf('%064x', i)`,
      algorithm: `CASE i % 3 WHEN 0 THEN 'ecdsa' WHEN 1 THEN 'rsa' ELSE 'ed25519' END`,
      status:
        `CASE i % 7 WHEN 0 THEN 'replaced' WHEN 1 THEN 'revoked' WHEN 2 THEN 'pending' ELSE 'active' END`,
      tenant_id: "nullif(i % 13, 0)",
      issuing_ca_id: "nullif(i % 7, 0)",
      replaced_by_id: "CASE WHEN i % 7 = 0 AND i > 7 THEN i - 1 END",
      has_pem: "i % 2",
      sans:
        `CASE WHEN i % 10 = 0 THEN '[]' ELSE json_array('host-' || i || '.example', 'Ünïcode"' || i, 'IP:10.0.0.1') END`,
      ...times,
    }),
    rows("certificate_texts", CERTIFICATES / 2, {
      certificate_id: "i * 2 - 1",
      pem_content: pem,
      issuer_chain: `CASE i % 3 WHEN 0 THEN '' WHEN 1 THEN 'the chain of many' ELSE ${pem} END`,
    }),
    rows("tagged_items", CERTIFICATES, {
      object_type: `'certmgr.certificate'`,
      object_id: "i",
      tag_id: "i % 9 + 1",
    }),
    rows("certificate_assignments", 600, {
      certificate_id: "i",
      assigned_object_type: `CASE i % 2 WHEN 0 THEN 'dcim.device' ELSE 'ipam.service' END`,
      assigned_object_id: "i % 150 + 1",
      is_primary: "i % 2",
      ...times,
    }),
    rows("certificate_signing_requests", 80, {
      common_name: `'request-' || i`,
      sans: `json_array('request-' || i)`,
      fingerprint_hex: `printf('%064x', i)`,
      resulting_certificate_id: "nullif(i % 20, 0)",
      ...times,
    }),
    rows("expiry_notices", 50, { certificate_id: "i", threshold: "30", sent_at: `${now}` }),
    rows("compliance_policies", 5, { name: `'policy ' || i`, policy_type: `'min_key_size'`, ...times }),
    rows("compliance_checks", 500, {
      certificate_id: "i",
      policy_id: "i % 5 + 1",
      result: `CASE i % 4 WHEN 0 THEN 'fail' ELSE 'pass' END`,
      severity: `'warning'`,
      checked_at: `${now}`,
      ...times,
    }),
    rows("compliance_scores", 30, { day: `${now} - i * ${DAY}`, passed: "i", failed: "1", score: "i * 1.5" }),
    rows("object_changes", CERTIFICATES, {
      time: `${now} - i`,
      user_id: "i % 20 + 1",
      action: `'create'`,
      object_type: `'certmgr.certificate'`,
      object_id: "i",
      postchange: `json_object('common_name', 'host-' || i)`,
    }),
    rows("outbox", 100, {
      change_id: "i",
      object_type: `'certmgr.certificate'`,
      object_id: "i",
      event: `'created'`,
      created: `${now}`,
    }),
    rows("webhooks", 3, { name: `'hook ' || i`, payload_url: `'https://hooks.example/' || i`, ...times }),
    rows("webhook_deliveries", 20, {
      webhook_id: "i % 3 + 1",
      outbox_id: "i",
      event_id: `'event ' || i`,
      object_type: `'certmgr.certificate'`,
      object_id: "i",
      event: `'created'`,
      ...times,
    }),
    rows("leases", 1, { name: `'expiry-sweep'`, owner: `'somebody'`, until: `${now}` }),
    rows("import_previews", 2, {
      user_id: "1",
      format: `'csv'`,
      content: `'a,b'`,
      created: `${now}`,
      expires: `${now}`,
    }),
    rows("calendar_feeds", 4, {
      user_id: "i",
      token_hash: `'hash ' || i`,
      name: `'feed'`,
      created: `${now}`,
    }),
  ];
}

/** Creates the first schema in an empty database and fills it. */
export async function fillFirstSchema(database: Database, now: number): Promise<void> {
  await migrate(database, { migrations: MIGRATIONS.slice(0, 1), now });
  await database.write((tx) => tx.runAll(statements(now)));
}

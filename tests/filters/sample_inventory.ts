/** Five certificates of four tenants, each with something unusual. */

import { sql } from "drizzle-orm";
import { compileCondition, type CompileContext, type Condition } from "../../src/filters/mod.ts";
import { type InventoryDb, openInventory } from "./inventory_db.ts";
import { CERTIFICATES, CONTEXT, NOW } from "./support.ts";

const DAY = 86_400_000;

/**
 * Creates the inventory. Its tenants are 1 ACME, 2 Globex, 3 hidden from some callers, 4 without owner and description.
 */
export async function inventory(): Promise<InventoryDb> {
  const db = await openInventory();
  await db.insert([
    {
      id: 1,
      common_name: "www.example.com",
      issuer: "C=US, O=Let's Encrypt, CN=R3",
      acme_provider: "letsencrypt",
      serial_hex: "a1b2c",
      fingerprint_hex: "0a1b",
      key_size: 2048,
      is_acme: 1,
      valid_to: NOW + 10 * DAY,
      tenant_id: 1,
      tags: [1, 2],
      sans: ["www.example.com", "example.com"],
    },
    {
      id: 2,
      common_name: "WWW.Example.org",
      issuer: "O=ACME 100%_",
      acme_provider: "",
      serial_hex: "0",
      status: "expired",
      key_size: 4096,
      valid_to: NOW - DAY,
      tenant_id: 2,
      replaced_by_id: 1,
      tags: [1],
      sans: ["Mail.example.org"],
    },
    { id: 3, common_name: "größe.example", status: "revoked", valid_to: NOW, tenant_id: 3, tags: [3] },
    { id: 4, common_name: "GRÖSSE \\ [x]*?", valid_to: NOW + 1, tenant_id: 4, sans: ["a_b", "axb"] },
    { id: 5, common_name: 'it\'s "quoted"', valid_to: NOW + 2, replaced_by_id: 3 },
  ], {
    users: [[7, "ann"], [8, "bob"]],
    tenants: [
      [1, "ACME Inc", "acme", "makes all", 7],
      [2, "Globex", "globex", "", 8],
      [3, "Hidden", "hidden", "secret", 7],
      [4, "Initech", "initech", null, null],
    ],
    tags: [[1, "Web", "web"], [2, "Prod", "prod"], [3, "Hush", "hush"]],
    tenant_tags: [[1, 1], [3, 3]],
  });
  return db;
}

/** Returns the ids of the certificates that a condition selects, in order. */
export async function select(
  db: InventoryDb,
  condition: Condition,
  context: Partial<CompileContext> = {},
): Promise<number[]> {
  const where = compileCondition(condition, CERTIFICATES, { ...CONTEXT, ...context });
  const rows = await db.all<{ id: number }>(
    sql`SELECT c.id FROM certificates AS c WHERE ${where} ORDER BY 1`,
  );
  return rows.map(({ id }) => id);
}

/** All ids. */
export const ALL = [1, 2, 3, 4, 5];

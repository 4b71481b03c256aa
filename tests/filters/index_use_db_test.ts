/** Which index serves a compiled condition. */

import assert from "node:assert/strict";
import { type SQL, sql } from "drizzle-orm";
import {
  compileCondition,
  type CompileContext,
  compileOrdering,
  parseConstraint,
  parseOrdering,
} from "../../src/filters/mod.ts";
import { CERTIFICATES, CONTEXT, query } from "./support.ts";
import { type InventoryDb, openInventory } from "./inventory_db.ts";

async function plan(db: InventoryDb, statement: SQL): Promise<string> {
  const rows = await db.all<{ detail: string }>(sql`EXPLAIN QUERY PLAN ${statement}`);
  return rows.map(({ detail }) => detail).join("\n");
}

function statement(text: string, ordering = "", context: Partial<CompileContext> = {}): SQL {
  const where = compileCondition(query(text), CERTIFICATES, { ...CONTEXT, ...context });
  const order = compileOrdering(parseOrdering(ordering, CERTIFICATES).keys, {
    map: CERTIFICATES,
    alias: "c",
  });
  return sql`SELECT c.id FROM certificates AS c WHERE ${where} ORDER BY ${order} LIMIT 50`;
}

const SERVED: readonly [string, RegExp][] = [
  ["id=5", /SEARCH c USING INTEGER PRIMARY KEY \(rowid=\?\)/],
  ["id=5&id=6", /SEARCH c USING INTEGER PRIMARY KEY \(rowid=\?\)/],
  [
    "status=active&valid_to__lt=2026-01-01",
    /SEARCH c USING .*certificates_status_valid_to \(status=\? AND valid_to<\?\)/,
  ],
  [
    "status=active&status=expired&valid_to__gt=2026-01-01",
    /SEARCH c USING .*certificates_status_valid_to \(status=\? AND valid_to>\?\)/,
  ],
  [
    "valid_to__gte=2026-01-01&valid_to__lt=2026-02-01",
    /certificates_valid_to \(valid_to>\? AND valid_to<\?\)/,
  ],
  ["common_name__exact=a", /SEARCH c USING .*certificates_common_name \(common_name=\?\)/],
  [
    "common_name__exact=a&common_name__exact=b",
    /SEARCH c USING .*certificates_common_name \(common_name=\?\)/,
  ],
  ["common_name__ie=a", /SEARCH c USING .*certificates_common_name_nocase \(common_name=\?\)/],
  [
    "common_name__ie=a&common_name__ie=b",
    /SEARCH c USING .*certificates_common_name_nocase \(common_name=\?\)/,
  ],
  [
    "common_name__startswith=a",
    /SEARCH c USING .*certificates_common_name \(common_name>\? AND common_name<\?\)/,
  ],
  [
    "common_name__isw=abc",
    /SEARCH c USING .*certificates_common_name_nocase \(common_name>\? AND common_name<\?\)/,
  ],
  ["common_name=abc", /SEARCH c USING INTEGER PRIMARY KEY[\s\S]*SCAN certificate_search VIRTUAL TABLE INDEX/],
  [
    "common_name__ic=abc",
    /SEARCH c USING INTEGER PRIMARY KEY[\s\S]*SCAN certificate_search VIRTUAL TABLE INDEX/,
  ],
  [
    "common_name__iew=abc",
    /SEARCH c USING INTEGER PRIMARY KEY[\s\S]*SCAN certificate_search VIRTUAL TABLE INDEX/,
  ],
  ["san=abc", /SEARCH c USING INTEGER PRIMARY KEY[\s\S]*SCAN certificate_search VIRTUAL TABLE INDEX/],
  ["san__ie=abc", /SEARCH certificate_sans USING PRIMARY KEY \(value=\?\)/],
  ["san__isw=abc", /SEARCH certificate_sans USING PRIMARY KEY \(value>\? AND value<\?\)/],
  ["serial_number=0A:1B", /certificates_serial \(serial_hex=\?\)/],
  ["key_size=2048", /certificates_key_size \(key_size=\?\)/],
  ["key_size=null", /certificates_key_size \(key_size=\?\)/],
  ["tenant_id=1", /certificates_tenant \(tenant_id=\?\)/],
  ["tenant_id=1&tenant_id=2", /certificates_tenant \(tenant_id=\?\)/],
  ["tenant_id=null", /certificates_tenant \(tenant_id=\?\)/],
  [
    "tenant=acme",
    /certificates_tenant \(tenant_id=\?\)[\s\S]*SEARCH c_1 USING INDEX sqlite_autoindex_tenants_2/,
  ],
  ["tenant__name=acme", /certificates_tenant \(tenant_id=\?\)[\s\S]*sqlite_autoindex_tenants_1 \(name=\?\)/],
  ["tag=web", /SEARCH c USING INTEGER PRIMARY KEY[\s\S]*certificate_tags_tag \(tag_id=\?\)/],
  ["tag=web&tag=prod", /SEARCH c USING INTEGER PRIMARY KEY[\s\S]*certificate_tags_tag \(tag_id=\?\)/],
];

Deno.test("an index serves", async (t) => {
  await using db = await openInventory();
  for (const [text, expected] of SERVED) {
    await t.step(text, async () => {
      const where = compileCondition(query(text), CERTIFICATES, CONTEXT);
      assert.match(await plan(db, sql`SELECT * FROM certificates AS c WHERE ${where}`), expected);
    });
  }
});

const SORTED: readonly [string, string][] = [
  ["", "valid_to"],
  ["", "-valid_to"],
  ["valid_to__gt=2026-01-01", "-valid_to"],
  ["status=active", "valid_to"],
  ["status=active&valid_to__lt=2026-01-01", "-valid_to"],
  ["", "common_name"],
  ["", "-id"],
];

Deno.test("an index provides the order, in both directions and with the id as tie-breaker", async (t) => {
  await using db = await openInventory();
  for (const [text, ordering] of SORTED) {
    await t.step(`${text || "all"} by ${ordering}`, async () => {
      assert.doesNotMatch(await plan(db, statement(text, ordering)), /TEMP B-TREE/);
    });
  }
});

Deno.test("a constraint on the tenant's owner uses an index at each step", async () => {
  await using db = await openInventory();
  const { condition } = parseConstraint({ tenant__slug: "acme" }, CERTIFICATES);
  const where = compileCondition(condition, CERTIFICATES, CONTEXT);
  const text = await plan(db, sql`SELECT * FROM certificates AS c WHERE ${where}`);
  assert.doesNotMatch(text, /^SCAN/m);
});

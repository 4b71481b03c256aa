/** What a compiled lookup selects from a real database. */

import assert from "node:assert/strict";
import { sql } from "drizzle-orm";
import {
  and,
  type Comparison,
  type CompileContext,
  compileLookup,
  EVERYTHING,
  type Lookup,
  not,
  NOTHING,
  or,
  parseConstraint,
  parseFiltersObject,
  resolveRegexes,
} from "../../src/lookup/mod.ts";
import { CERTIFICATES, CONTEXT, NOW, query } from "./support.ts";
import { type InventoryDb, openInventory } from "./inventory_db.ts";

const DAY = 86_400_000;

/** 1 ACME, 2 Globex, 3 hidden from some, 4 without owner and description. */
async function inventory(): Promise<InventoryDb> {
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

async function select(
  db: InventoryDb,
  lookup: Lookup,
  context: Partial<CompileContext> = {},
): Promise<number[]> {
  const where = compileLookup(lookup, CERTIFICATES, { ...CONTEXT, ...context });
  const rows = await db.all<{ id: number }>(
    sql`SELECT c.id FROM certificates AS c WHERE ${where} ORDER BY 1`,
  );
  return rows.map(({ id }) => id);
}

const ALL = [1, 2, 3, 4, 5];

const SELECTED: readonly [string, number[]][] = [
  ["", ALL],
  ["status=active", [1, 4, 5]],
  ["status=active&status=expired", [1, 2, 4, 5]],
  ["status__n=active&status__n=expired", [3]],
  ["status__ic=EX", [2]],
  ["id=1&id=3&id=99", [1, 3]],
  ["id__gt=3", [4, 5]],
  ["id__gt=1&id__lt=4", [2, 3]],
  ["id__gt=4&id__gt=2", [3, 4, 5]],
  ["id__lte=2&id__lte=1", [1, 2]],
  // Text.
  ["common_name=example", [1, 3]],
  ["common_name=Example", [2]],
  ["common_name__ic=EXAMPLE", [1, 2, 3]],
  ["common_name__nic=EXAMPLE", [4, 5]],
  ["common_name__isw=www.", [1, 2]],
  ["common_name__startswith=www.", [1]],
  ["common_name__startswith=www.&common_name__startswith=it", [1, 5]],
  ["common_name__iew=.ORG", [2]],
  ["common_name__endswith=.org", [2]],
  ["common_name__endswith=.ORG", []],
  ["common_name__exact=www.example.org", []],
  ["common_name__ie=www.example.org", [2]],
  ["common_name__ie=www.example.org&common_name__ie=WWW.EXAMPLE.COM", [1, 2]],
  ["common_name__nie=www.example.org", [1, 3, 4, 5]],
  ["common_name__contains=example.com&common_name__contains=quoted", [1, 5]],
  ["common_name__contains=ww&common_name__contains=uo", [1, 5]],
  ["common_name__ic=ww&common_name__ic=ÖSSE", [1, 2, 4]],
  // Letters beyond ASCII, in either case.
  ["common_name__ic=GRÖ", [3, 4]],
  ["common_name__ic=grö", [3, 4]],
  ["common_name__ic=Ö", [3, 4]],
  ["common_name__isw=GRÖßE", [3]],
  ["common_name__ie=GRÖße.EXAMPLE", [3]],
  ["common_name=GRÖ", [4]],
  // What LIKE, GLOB and FTS5 would read as patterns.
  ["issuer=100%25_", [2]],
  ["issuer=%25", [2]],
  ["issuer=_", [2]],
  ["common_name=\\", [4]],
  ["common_name__ic=\\", [4]],
  ["common_name=*", [4]],
  ["common_name=[x]*?", [4]],
  ["common_name__ic=[X]*?", [4]],
  ["common_name__endswith=*?", [4]],
  ["common_name__iew=[X]*?", [4]],
  ['common_name="quoted"', [5]],
  ["common_name=it's", [5]],
  ["common_name=NOT", []],
  ["common_name__ic=OR *", []],
  // Null and empty.
  ["acme_provider=null", [3, 4, 5]],
  ["acme_provider=", [2]],
  ["acme_provider__empty=true", [2, 3, 4, 5]],
  ["acme_provider__empty=false", [1]],
  ["acme_provider__empty=true&acme_provider__empty=false", ALL],
  ["acme_provider__isnull=true", [3, 4, 5]],
  ["acme_provider__n=letsencrypt", [2, 3, 4, 5]],
  ["acme_provider__nic=lets", [2, 3, 4, 5]],
  ["acme_provider__n=null", [1, 2]],
  ["key_size=null", [3, 4, 5]],
  ["key_size=null&key_size=2048", [1, 3, 4, 5]],
  ["key_size__n=2048", [2, 3, 4, 5]],
  ["key_size__n=2048&key_size__n=null", [2]],
  ["key_size__empty=true", [3, 4, 5]],
  ["key_size__empty=false", [1, 2]],
  ["key_size__lt=4096", [1]],
  // Hex, booleans, dates, predicates.
  ["serial_number=0A:1B:2C", [1]],
  ["serial_number=A1B2C", [1]],
  ["serial_number=00:00", [2, 3, 4, 5]],
  ["serial_number__ic=B2", [1]],
  ["serial_number__isw=0A:1B", [1]],
  ["fingerprint=0A:1B", [1]],
  ["fingerprint=A:1B", []],
  ["is_acme=true", [1]],
  ["is_acme=false", [2, 3, 4, 5]],
  ["is_acme__n=true", [2, 3, 4, 5]],
  ["valid_to__lt=2026-11-20", [2]],
  ["valid_to__lte=2026-11-20", [2, 3]],
  ["valid_to__gt=2026-11-20T00:00:00.001", [1, 5]],
  ["expired=true", [2]],
  ["expired=false&status=active", [1, 4, 5]],
  ["expired=false&expired=true", ALL],
  ["health=good", [1, 4, 5]],
  // References.
  ["tenant_id=1", [1]],
  ["tenant_id=1&tenant_id=2&tenant_id=99", [1, 2]],
  ["tenant_id__n=1", [2, 3, 4, 5]],
  ["tenant_id=null", [5]],
  ["tenant=acme", [1]],
  ["tenant=Globex", [2]],
  ["tenant=acme&tenant=null", [1, 5]],
  ["tenant__n=acme", [2, 3, 4, 5]],
  ["tenant__n=acme&tenant__n=null", [2, 3, 4]],
  ["tenant__empty=true", [5]],
  ["tenant__isnull=false", [1, 2, 3, 4]],
  ["tenant__name__ic=INC", [1]],
  ["tenant__name__nic=INC", [2, 3, 4, 5]],
  ["tenant__description__empty=true", [2, 4, 5]],
  ["tenant__description__empty=false", [1, 3]],
  ["tenant__description=null", [4, 5]],
  ["tenant__description__n=null", [1, 2, 3]],
  ["tenant__owner_id=7", [1, 3]],
  ["tenant__owner=null", [4, 5]],
  ["tenant__owner__username=bob", [2]],
  ["tenant__tag=web", [1]],
  ["replaced_by__status=active", [2]],
  ["replaced_by__tenant__slug=hidden", [5]],
  ["replaced_by=www.example.com", [2]],
  // Tags and names.
  ["tag=web", [1, 2]],
  ["tag=web&tag=prod", [1]],
  ["tag_id=1&tag_id=2", [1]],
  ["tag__in=prod&tag__in=hush", [1, 3]],
  ["tag__n=web", [3, 4, 5]],
  ["tag__n=prod&tag__n=hush", [2, 4, 5]],
  ["tag__name__ic=we", [1, 2]],
  ["tag__empty=true", [4, 5]],
  ["tag__isnull=false", [1, 2, 3]],
  ["san=EXAMPLE.COM", [1]],
  ["san=mail", [2]],
  ["san__exact=example.com", [1]],
  ["san__ie=EXAMPLE.com", [1]],
  ["san=a_b", [4]],
  ["san=_b", [4]],
  ["san__n=a_b", [1, 2, 3, 5]],
  ["san__isw=mail&san__isw=a_", [2, 4]],
  ["san__empty=true", [3, 5]],
  ["san__empty=false", [1, 2, 4]],
  // A search that holds an OR of its own stays apart from the rest.
  ["q=acme&status=active", []],
  ["q=acme&status=expired", [2]],
];

Deno.test("compileLookup selects", async (t) => {
  await using db = await inventory();
  for (const [text, expected] of SELECTED) {
    await t.step(`${text || "all"}: ${expected.join(" ") || "none"}`, async () => {
      assert.deepEqual(await select(db, query(text)), expected);
    });
  }
});

const CONSTRAINED: readonly [unknown, number[]][] = [
  [null, ALL],
  [[], ALL],
  [{ tenant__owner: "$user" }, [1, 3]],
  [{ tenant__owner__in: ["$user", 8] }, [1, 2, 3]],
  [{ tenant__owner__n: "$user" }, [2, 4, 5]],
  [{ tenant__owner__id: "$user" }, [1, 3]],
  [{ tenant__in: [1, 2], status: "active" }, [1]],
  [[{ tenant: 1 }, { tenant__isnull: true }], [1, 5]],
  [{ id__in: [] }, []],
  [{ tags__name: "Web", common_name__endswith: ".com" }, [1]],
  [{ common_name: "example" }, []],
  [{ valid_to__lt: "2026-11-20" }, [2]],
];

Deno.test("a constraint selects", async (t) => {
  await using db = await inventory();
  for (const [json, expected] of CONSTRAINED) {
    await t.step(`${JSON.stringify(json)}: ${expected.join(" ") || "none"}`, async () => {
      const { lookup, errors } = parseConstraint(json, CERTIFICATES);
      assert.deepEqual(errors, {});
      assert.deepEqual(await select(db, lookup), expected);
    });
  }
});

Deno.test("a filter object with AND, OR and NOT selects", async () => {
  await using db = await inventory();
  const json = { NOT: { tag: ["web", "hush"] }, OR: { AND: [{ status: "revoked" }, { tenant_id: 3 }] } };
  assert.deepEqual(await select(db, parseFiltersObject(json, CERTIFICATES).lookup), [3, 4, 5]);
});

/** The caller sees neither tenant 3 nor tag 3 nor certificate 3. */
const seen = parseConstraint({ id__n: 3 }, CERTIFICATES).lookup;
const VISIBLE: Partial<CompileContext> = {
  visible: (type) => type === "users.user" ? EVERYTHING : seen,
};

const INDISTINGUISHABLE: readonly [string, string][] = [
  ["tenant_id=3", "tenant_id=99"],
  ["tenant_id__n=3", "tenant_id__n=99"],
  ["tenant=hidden", "tenant=absent"],
  ["tenant__n=hidden", "tenant__n=absent"],
  ["tenant__name__ic=hid", "tenant__name__ic=abs"],
  ["tenant__name__nic=hid", "tenant__name__nic=abs"],
  ["tenant__id__gt=2&id=3", "tenant__id__gt=99&id=3"],
  ["tenant__owner__username=ann&id=3", "tenant__owner__username=absent&id=3"],
  ["tenant__tag=hush", "tenant__tag=absent"],
  ["tag=hush", "tag=absent"],
  ["tag_id=3", "tag_id=99"],
  ["tag__n=hush", "tag__n=absent"],
  ["tag__name__isw=hu", "tag__name__isw=absent"],
  ["replaced_by_id=3", "replaced_by_id=99"],
  ["replaced_by__status=revoked", "replaced_by__status=revoked&id=99"],
  ["replaced_by__tenant_id=3", "replaced_by__tenant_id=99"],
];

Deno.test("a related row that the caller may not view is as good as absent", async (t) => {
  await using db = await inventory();
  for (const [hidden, absent] of INDISTINGUISHABLE) {
    await t.step(`${hidden} selects what ${absent} does`, async () => {
      assert.deepEqual(await select(db, query(hidden), VISIBLE), await select(db, query(absent), VISIBLE));
      assert.notDeepEqual(
        await select(db, query(hidden)),
        await select(db, query(absent)),
        "seen, they differ",
      );
    });
  }
  await t.step("a reference to it is none", async () => {
    assert.deepEqual(await select(db, query("tenant_id=null"), VISIBLE), [3, 5]);
    assert.deepEqual(await select(db, query("tenant__isnull=false"), VISIBLE), [1, 2, 4]);
    assert.deepEqual(await select(db, query("tag__empty=true"), VISIBLE), [3, 4, 5]);
    assert.deepEqual(
      await select(db, query("replaced_by__tenant=null&replaced_by__isnull=false"), VISIBLE),
      [],
    );
  });
  await t.step("what may be viewed is found as before", async () => {
    assert.deepEqual(await select(db, query("tenant_id=1&tenant_id=3"), VISIBLE), [1]);
    assert.deepEqual(await select(db, query("tag=web"), VISIBLE), [1, 2]);
  });
  await t.step("a constraint crosses freely", async () => {
    assert.deepEqual(await select(db, parseConstraint({ tenant__name: "Hidden" }, CERTIFICATES).lookup), [3]);
  });
  await t.step("a view may itself cross a relation to rows that the caller does not see", async () => {
    const view = parseConstraint({ tenant__owner__username: "ann" }, CERTIFICATES).lookup;
    const visible = (type: string): Lookup => type === "certmgr.certificate" ? view : NOTHING;
    assert.deepEqual(await select(db, query("replaced_by__id__gte=1"), { visible }), [2, 5]);
  });
  await t.step("without any view nothing related is found", async () => {
    const visible = (): Lookup => NOTHING;
    assert.deepEqual(await select(db, query("tenant_id=1"), { visible }), []);
    assert.deepEqual(await select(db, query("tenant_id__n=1"), { visible }), ALL);
    assert.deepEqual(await select(db, query("tag=web"), { visible }), []);
  });
});

Deno.test("not() holds for every row for which its term does not, unknown ones included", async (t) => {
  await using db = await inventory();
  for (const [text, expected] of SELECTED) {
    await t.step(text || "all", async () => {
      const rest = ALL.filter((id) => !expected.includes(id));
      assert.deepEqual(await select(db, not(query(text))), rest);
    });
  }
});

Deno.test("and() and or() select the intersection and the union", async () => {
  await using db = await inventory();
  const [a, b] = [query("status=active"), query("tag=web&tag=prod")];
  assert.deepEqual(await select(db, and(a, b)), [1]);
  assert.deepEqual(await select(db, or(and(query("id=5"), a), b, query("id=2"))), [1, 2, 5]);
  assert.deepEqual(await select(db, and(or(query("id=5"), query("id=2")), a)), [5]);
});

const MATCHED: readonly [string, number[]][] = [
  ["common_name__regex=^www\\.", [1]],
  ["common_name__iregex=^www\\.", [1, 2]],
  ["common_name__regex=[*?[]", [4]],
  ["common_name__regex=.&status=active", [1, 4, 5]],
  ["acme_provider__regex=^$", [2]],
  ["serial_number__regex=^a[0-9]b", [1]],
  ["status__regex=e.*d", [2, 3]],
  ["tenant__name__iregex=^(acme|glo)", [1, 2]],
  ["tag__slug__regex=^.{4}$", [1, 3]],
  ["san__regex=^[^.]+\\.com$", [1]],
  ["san__regex=.&tenant_id=2", [2]],
  ["san__regex=a_b&status=expired", []],
  ["issuer__regex=zzz", []],
];

Deno.test("a regular expression selects", async (t) => {
  await using db = await inventory();
  for (const [text, expected] of MATCHED) {
    await t.step(`${text}: ${expected.join(" ") || "none"}`, async () => {
      const options = { ...CONTEXT, reader: db.database };
      const resolved = await resolveRegexes(query(text.replaceAll("+", "%2B")), CERTIFICATES, options);
      assert.deepEqual(await select(db, resolved), expected);
      assert.deepEqual(await select(db, not(resolved)), ALL.filter((id) => !expected.includes(id)));
    });
  }
});

Deno.test("a regular expression does not tell of related rows that the caller may not view", async () => {
  await using db = await inventory();
  const options = { ...CONTEXT, ...VISIBLE, reader: db.database };
  const resolved = await resolveRegexes(query("tenant__name__regex=."), CERTIFICATES, options);
  assert.deepEqual((resolved as Comparison).values, ["ACME Inc", "Globex", "Initech"]);
  assert.deepEqual(await select(db, resolved, VISIBLE), [1, 2, 4]);
});

Deno.test("thousands of alternatives stay within SQLite's depth of expressions", async () => {
  await using db = await inventory();
  const terms = Array.from({ length: 5_000 }, (_, index) => query(`status=active&key_size=${index}`));
  assert.deepEqual(await select(db, or(...terms)), [1]);
  assert.deepEqual(await select(db, and(...terms.map(not))), [2, 3, 4, 5]);
});

Deno.test("a lookup that needs the acting user is refused when nobody acts", () => {
  const { lookup } = parseConstraint({ tenant__owner__n: "$user" }, CERTIFICATES);
  assert.throws(() => compileLookup(lookup, CERTIFICATES, { ...CONTEXT, userId: null }), /acting user/);
});

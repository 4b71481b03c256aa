/** What a compiled condition selects from a real database. */

import assert from "node:assert/strict";
import {
  and,
  compileCondition,
  not,
  or,
  parseConstraint,
  parseFiltersObject,
} from "../../src/filters/mod.ts";
import { ALL, inventory, select } from "./sample_inventory.ts";
import { CERTIFICATES, CONTEXT, query } from "./support.ts";

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
  // Characters with a special meaning in LIKE, GLOB and FTS5.
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
  // A search that contains an OR is put in parentheses.
  ["q=acme&status=active", []],
  ["q=acme&status=expired", [2]],
];

Deno.test("compileCondition selects", async (t) => {
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
      const { condition, errors } = parseConstraint(json, CERTIFICATES);
      assert.deepEqual(errors, []);
      assert.deepEqual(await select(db, condition), expected);
    });
  }
});

Deno.test("a filter object with AND, OR and NOT selects", async () => {
  await using db = await inventory();
  const json = { NOT: { tag: ["web", "hush"] }, OR: { AND: [{ status: "revoked" }, { tenant_id: 3 }] } };
  assert.deepEqual(await select(db, parseFiltersObject(json, CERTIFICATES).condition), [3, 4, 5]);
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

Deno.test("thousands of alternatives stay within SQLite's depth of expressions", async () => {
  await using db = await inventory();
  const terms = Array.from({ length: 5_000 }, (_, index) => query(`status=active&key_size=${index}`));
  assert.deepEqual(await select(db, or(...terms)), [1]);
  assert.deepEqual(await select(db, and(...terms.map(not))), [2, 3, 4, 5]);
});

Deno.test("a condition with $user is refused without an acting user", () => {
  const { condition } = parseConstraint({ tenant__owner__n: "$user" }, CERTIFICATES);
  assert.throws(() => compileCondition(condition, CERTIFICATES, { ...CONTEXT, userId: null }), /acting user/);
});

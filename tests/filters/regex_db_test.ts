/** What regular expressions select from a real database. */

import assert from "node:assert/strict";
import { not, resolveRegexes } from "../../src/filters/mod.ts";
import { ALL, inventory, select } from "./sample_inventory.ts";
import { CERTIFICATES, CONTEXT, query } from "./support.ts";

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

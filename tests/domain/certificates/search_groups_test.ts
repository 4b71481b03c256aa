/** Searches find the same certificates, whichever of them are in the full-text index. */

import assert from "node:assert/strict";
import { type SQL, sql } from "drizzle-orm";
import { insertRows, type Row } from "../../../src/db/mod.ts";
import { certificates } from "../../../src/db/schema/mod.ts";
import { checkDatabase } from "../../../src/domain/system/checkup/check_database.ts";
import { type TestApp, testApp } from "../../support/app.ts";
import { callJson } from "../../support/call_json.ts";
import { PATHS } from "../../support/paths.ts";

/** Returns a function with pseudorandom numbers below `n`, the same in every run. */
function randomBy(seed: number): (n: number) => number {
  let state = seed;
  return (n) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fff_ffff;
    return (state >> 8) % n;
  };
}

const WORDS = ["mail", "www", "Änderung", "api", "shop", "ÉTÉ", "100%", "a_b", "straße", "vpn"];
const SEARCHES = [
  "mail",
  "WWW",
  "änderung",
  "été",
  "api",
  "100%",
  "a_b",
  "shop.exa",
  "stra",
  "vp",
  "x".repeat(40),
  "CA 3",
];
const FILTERS = [
  "q",
  "common_name__ic",
  "san__ic",
  "issuer__ic",
  "common_name__isw",
  "common_name__iew",
  "common_name__nic",
];

interface Random {
  below(n: number): number;
  row(id: number): Row;
}

function randomRows(below: (n: number) => number): Random {
  let serial = 1;
  const name = (): string => {
    const long = below(25) === 0 ? "x".repeat(1_000) : "";
    return `${WORDS[below(WORDS.length)]}${below(50)}${long}.example`;
  };
  return {
    below,
    row: (id) => ({
      id,
      common_name: name(),
      issuer: `CN=CA ${below(5)}${below(40) === 0 ? "x".repeat(1_000) : ""}`,
      sans: JSON.stringify(Array.from({ length: below(4) }, name)),
      serial_number: (0x100000 + serial++).toString(16),
      valid_from: 1,
      valid_to: 4_000_000_000_000,
      fingerprint_sha256: "",
      algorithm: "rsa",
      created: 1,
      last_updated: 2,
    }),
  };
}

/** Returns a random change. `newest` is the largest id that was ever used. */
function change({ below, row }: Random, newest: number): { statement: SQL; newest: number } {
  const some = 1 + below(newest);
  const { id: _, ...values } = row(some);
  const columns = Object.entries(values).filter(([name]) =>
    ["common_name", "issuer", "sans"].includes(name) && below(2) === 0
  );
  switch (below(9)) {
    case 0:
      return {
        statement: sql`DELETE FROM certificates WHERE id = (SELECT max(id) FROM certificates)`,
        newest,
      };
    case 1:
      return {
        statement: sql`DELETE FROM certificates WHERE id = (SELECT min(id) FROM certificates)`,
        newest,
      };
    case 2:
      return {
        statement: sql`DELETE FROM certificates WHERE id BETWEEN ${some} AND ${some + below(40)}`,
        newest,
      };
    case 3: {
      const set = [...columns, ["archived", below(2)] as const].map(([name, value]) =>
        sql`${sql.identifier(name)} = ${value}`
      );
      const where = sql`id BETWEEN ${some} AND ${some + below(4)}`;
      return { statement: sql`UPDATE certificates SET ${sql.join(set, sql`, `)} WHERE ${where}`, newest };
    }
    case 4:
      // Restored with its id.
      return { statement: sql`${insertRows(certificates, [row(some)])} ON CONFLICT DO NOTHING`, newest };
    case 5: {
      const last = newest + 1 + below(70);
      const rows = Array.from({ length: last - newest }, (_, index) => row(newest + 1 + index));
      return { statement: insertRows(certificates, below(2) === 0 ? rows : rows.toReversed()), newest: last };
    }
    default: {
      // With a gap, as after a failed insert.
      const id = newest + 1 + (below(10) === 0 ? below(60) : 0);
      return { statement: insertRows(certificates, [row(id)]), newest: id };
    }
  }
}

async function answers(app: TestApp): Promise<Record<string, number[]>> {
  const client = await app.as("superuser");
  const found: Record<string, number[]> = {};
  for (const filter of FILTERS) {
    for (const text of SEARCHES) {
      const query = new URLSearchParams({ [filter]: text, ordering: "id", limit: "1000", fields: "id" });
      const { results } = await callJson(client, `${PATHS.certificates}?${query}`);
      found[`${filter} ${text}`] = (results as { id: number }[]).map(({ id }) => id);
    }
  }
  return found;
}

/** Returns the answers when no certificate is in the index, and restores the index afterwards. */
async function answersWithoutIndex(app: TestApp): Promise<Record<string, number[]>> {
  const [indexed] = await app.database.all<{ last: number }>(
    sql`SELECT coalesce(max(id), 0) AS last FROM certificate_search_docsize`,
  );
  assert.ok((indexed as { last: number }).last > 0);
  await app.database.write((tx) => tx.run(sql`DELETE FROM certificate_search`));
  const found = await answers(app);
  await app.database.write((tx) =>
    tx.run(sql`INSERT INTO certificate_search (rowid, common_name, issuer, sans)
      SELECT id, common_name, issuer, (SELECT group_concat(value, char(10)) FROM json_each(sans))
      FROM certificates WHERE id <= ${indexed?.last}`)
  );
  return found;
}

for (const seed of [1, 2, 3]) {
  Deno.test(`after any changes, searches find the same as without the full-text index (${seed})`, async () => {
    await using app = await testApp();
    const random = randomRows(randomBy(seed));
    let newest = 100;
    for (let round = 0; round < 4; round++) {
      for (let step = 0; step < 40; step++) {
        const next = change(random, newest);
        newest = next.newest;
        await app.database.write((tx) => tx.run(next.statement));
      }
      const found = await answers(app);
      assert.deepEqual(found, await answersWithoutIndex(app));
      assert.ok(Object.values(found).filter((ids) => ids.length > 0).length > 30, "searches find something");
      const { checks } = await checkDatabase({
        database: app.database,
        kind: "file",
        now: app.clock.now(),
        migrations: [],
        schema: [],
      }, { only: ["integrity", "derived"] });
      assert.deepEqual(checks.map(({ check, result }) => [check, result]), [
        ["integrity", "ok"],
        ["derived", "ok"],
      ]);
    }
  });
}

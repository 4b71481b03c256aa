/** Columns that the database computes: writers do not give them, and their values are those that code expects. */

import assert from "node:assert/strict";
import { sql } from "drizzle-orm";
import fc from "fast-check";
import { insertRows, type Row, updateRows } from "../../src/db/mod.ts";
import { migrate } from "../../src/db/migrate.ts";
import { MIGRATIONS } from "../../src/db/migration_files.ts";
import { openFileDatabase } from "../../src/db/file_client.ts";
import { certificates } from "../../src/db/schema/mod.ts";
import { plainHex } from "../../src/resource/mod.ts";
import { testDatabase } from "../support/database.ts";

const DIGITS = [..."0123456789abcdefABCDEF"];
/** Digits with colons between some of them, as a caller may give them. */
const given = (most: number): fc.Arbitrary<string> =>
  fc.array(fc.constantFrom(...DIGITS, "0", "00", "0:", "0A:", "f:"), { minLength: 1, maxLength: most })
    .map((parts) => parts.join("").replace(/:$/, ""));

function certificate(id: number, { serial, fingerprint }: { serial: string; fingerprint: string }): Row {
  return {
    id,
    common_name: "a.example",
    serial_number: serial,
    fingerprint_sha256: fingerprint,
    issuer: `CN=${id}`,
    valid_from: 1,
    valid_to: 2,
    algorithm: "rsa",
    created: 1,
    last_updated: 1,
  };
}

const COMPUTED = sql`SELECT serial_hex, fingerprint_hex FROM certificates ORDER BY id`;

Deno.test("the digits of serial numbers and fingerprints are those that filters and duplicates compare", async () => {
  await using database = await testDatabase();
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.record({ serial: given(40), fingerprint: given(64) }), { minLength: 1, maxLength: 20 }),
      async (all) => {
        const expected = all.map(({ serial, fingerprint }) => ({
          serial_hex: plainHex(serial, { number: true }),
          fingerprint_hex: plainHex(fingerprint, { number: false }),
        }));
        await database.write(async (tx) => {
          await tx.run(sql`DELETE FROM certificates`);
          // The values that a caller gives for computed columns are left out.
          await tx.run(
            insertRows(certificates, all.map((one, n) => ({ ...certificate(n + 1, one), ...expected[n] }))),
          );
        });
        assert.deepEqual(await database.all(COMPUTED), expected);
      },
    ),
    { numRuns: 50 },
  );
});

Deno.test("computed columns follow updates of the columns that they are computed from", async () => {
  await using database = await testDatabase();
  await database.write(async (tx) => {
    await tx.run(insertRows(certificates, [certificate(1, { serial: "0A", fingerprint: "00" })]));
    await tx.run(updateRows(certificates, [{ id: 1, serial_number: "00:0B", serial_hex: "b" }]));
  });
  assert.deepEqual(await database.all(COMPUTED), [{ serial_hex: "b", fingerprint_hex: "00" }]);
});

Deno.test("certificates that are older than the columns keep their digits and still refuse duplicates", async () => {
  const folder = await Deno.makeTempDir({ prefix: "certmgr-test-" });
  const database = await openFileDatabase({ path: `${folder}/test.db`, durable: false });
  try {
    const place = MIGRATIONS.findIndex(({ name }) => name === "0037_computed_digits");
    await migrate(database, { migrations: MIGRATIONS.slice(0, place), now: 1 });
    const texts = [["00:0A:FF", "AB:CD"], ["0", "ab"], ["000", "AB"], ["7F3a", "0:0"]] as const;
    for (const [index, [serial, fingerprint]] of texts.entries()) {
      await database.write((tx) =>
        tx.run(
          sql`INSERT INTO certificates (common_name, serial_number, serial_hex, issuer, valid_from, valid_to,
          fingerprint_sha256, fingerprint_hex, algorithm, created, last_updated)
          VALUES ('a', ${serial}, ${
            plainHex(serial, { number: true })
          }, ${`CN=${index}`}, 1, 2, ${fingerprint},
            ${plainHex(fingerprint, { number: false })}, 'rsa', 1, 1)`,
        )
      );
    }
    const before = await database.all(COMPUTED);
    await migrate(database, { migrations: MIGRATIONS, now: 2 });
    assert.deepEqual(await database.all(COMPUTED), before);
    const again = certificate(9, { serial: "A:ff", fingerprint: "00" });
    await assert.rejects(
      database.write((tx) => tx.run(insertRows(certificates, [{ ...again, issuer: "CN=0" }]))),
      /UNIQUE/,
    );
  } finally {
    database.close();
    await Deno.remove(folder, { recursive: true });
  }
});

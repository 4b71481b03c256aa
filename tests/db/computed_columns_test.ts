/** Columns that the database computes: writers do not give them, and their values are those that code expects. */

import assert from "node:assert/strict";
import { sql } from "drizzle-orm";
import fc from "fast-check";
import { insertRows, type Row, updateRows } from "../../src/db/mod.ts";
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

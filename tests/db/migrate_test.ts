import assert from "node:assert/strict";
import { sql } from "drizzle-orm";
import { testDatabase } from "../support/database.ts";

Deno.test("a new database has the schema and takes a certificate with its names", async () => {
  await using database = await testDatabase();
  await database.write(async (tx) => {
    await tx.run(
      sql`INSERT INTO certificates (common_name, serial_number, serial_hex, issuer, valid_from, valid_to,
      fingerprint_sha256, fingerprint_hex, algorithm, created, last_updated, sans)
      VALUES ('www.example.com', '01', '1', 'CN=R3', 0, 1, 'AA', 'aa', 'rsa', 0, 0, '["a.example","b.example"]')`,
    );
  });
  assert.deepEqual(
    (await database.all(sql`SELECT * FROM certificate_sans ORDER BY position`)).map((r) => ({ ...r })),
    [{ certificate_id: 1, position: 0, value: "a.example" }, {
      certificate_id: 1,
      position: 1,
      value: "b.example",
    }],
  );
  assert.equal(
    (await database.all(sql`SELECT rowid FROM certificate_search WHERE certificate_search MATCH '"b.exam"'`))
      .length,
    1,
  );
});

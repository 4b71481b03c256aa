/**
 * Measures how fast policies run on certificates through the whole application, compared with the minimum: reading the
 * rows, and one statement that writes a result for each pair. Also measures the report on many results.
 */

import { sql } from "drizzle-orm";
import { idsIn, insertRows, type Row } from "../../src/db/mod.ts";
import { compliance_checks } from "../../src/db/schema/mod.ts";
import { clear, makePolicies, REPORT, TEN } from "../domain/compliance/support.ts";
import { storeCertificates } from "../domain/compliance/many.ts";
import { testApp } from "../support/app.ts";

const PATH = "/api/plugins/certmgr/certificates/";
/** Certificates of the inventory whose results are reported. */
const REPORTED = 10_000;

const app = await testApp();
await clear(app);
const policies = await makePolicies(app, TEN);
const ids = await storeCertificates(app, 1_000);
const client = await app.as("superuser");

async function ask(path: string, body?: unknown): Promise<void> {
  const response = await client(path, body === undefined ? {} : { method: "POST", body });
  const text = await response.text();
  if (response.status !== 200) throw new Error(`${path} → ${response.status} ${text.slice(0, 500)}`);
}

/** Reads the certificates and writes a prepared result for each certificate and policy. */
async function floor(certificateIds: readonly number[]): Promise<void> {
  await app.database.write(async (tx) => {
    const rows = await tx.all<Row>(sql`SELECT * FROM certificates WHERE id IN ${idsIn(certificateIds)}`);
    const results = rows.flatMap(({ id }) =>
      policies.map((policy_id): Row => ({
        certificate_id: id ?? 0,
        policy_id,
        result: "pass",
        severity: "warning",
        message: "The certificate is valid for 365 days.",
        checked_value: "365 days",
        expected_value: "at most 397 days",
        checked_at: 0,
        created: 0,
        last_updated: 0,
      }))
    );
    await tx.run(
      sql`${insertRows(compliance_checks, results)} ON CONFLICT (certificate_id, policy_id) DO UPDATE SET
        result = excluded.result, message = excluded.message, checked_at = excluded.checked_at`,
    );
  });
}

for (const count of [1, 100, 1_000]) {
  const certificate_ids = ids.slice(0, count);
  const group = `${count} × ${policies.length} checks`;
  Deno.bench("floor: read and write", { group, baseline: true }, async () => await floor(certificate_ids));
  Deno.bench(
    "POST bulk-compliance-check/",
    { group },
    async () => await ask(`${PATH}bulk-compliance-check/`, { certificate_ids }),
  );
}
Deno.bench(
  "POST compliance-check/",
  { group: `1 × ${policies.length} checks` },
  async () => await ask(`${PATH}${ids[0]}/compliance-check/`, {}),
);

const many = await testApp();
await many.database.write(async (tx) => {
  await tx.run(
    sql`INSERT INTO certificates (common_name, serial_number, issuer, valid_from, valid_to,
        fingerprint_sha256, algorithm, tenant_id, created, last_updated)
      WITH RECURSIVE n (n) AS (VALUES (1) UNION ALL SELECT n + 1 FROM n WHERE n < ${REPORTED})
      SELECT 'many-' || n, 'ff' || n, 'CN=Many', 0, 1, n, 'rsa', n % 3 + 1, 0, 0 FROM n`,
  );
  await tx.run(sql`DELETE FROM compliance_policies`);
});
await makePolicies(many, TEN);
await many.database.write((tx) =>
  tx.run(
    sql`INSERT INTO compliance_checks (certificate_id, policy_id, result, severity, checked_at, created, last_updated)
      SELECT certificates.id, compliance_policies.id,
        iif((certificates.id + compliance_policies.id) % 7 = 0, 'fail', 'pass'), severity, 0, 0, 0
      FROM certificates, compliance_policies`,
  )
);
const reader = await many.as("superuser");

Deno.bench(
  `floor: count ${REPORTED * 10} results`,
  { group: "report", baseline: true },
  async () => {
    await many.database.all(
      sql`SELECT policy_id, severity, result, count(*) FROM compliance_checks GROUP BY 1, 2, 3`,
    );
  },
);
Deno.bench(`GET compliance-report/ of ${REPORTED * 10} results`, { group: "report" }, async () => {
  const response = await reader(REPORT);
  await response.text();
  if (response.status !== 200) throw new Error(`Report → ${response.status}`);
});

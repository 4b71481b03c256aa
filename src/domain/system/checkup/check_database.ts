/** Checks a database. Later checks rely on earlier ones. */

import { count, eq, getTableName, min, type SQL, sql } from "drizzle-orm";
import { counted } from "../../../base/amounts.ts";
import { MINUTE_MS } from "../../../base/clock.ts";
import { AppError } from "../../../base/errors.ts";
import { select } from "../../../db/mod.ts";
import { leases, outbox } from "../../../db/schema/mod.ts";
import { resources } from "../../registry.ts";
import { JOBS } from "../jobs/jobs.ts";
import { type Check, type CheckInput, type CheckResult, toCheckResult } from "./check_result.ts";
import { checkMigrations, checkSchema } from "./schema.ts";

/** Maximum age of an event without a warning. Normally events are processed within seconds. */
const MAX_EVENT_AGE_MS = 15 * MINUTE_MS;

function minutes(ms: number): string {
  return counted(Math.floor(ms / MINUTE_MS), "minute");
}

/** Checks the age of the oldest pending event. */
const checkOutbox: Check = async ({ database, now }) => {
  const [open] = await database.all(
    select({ n: count().as("n"), oldest: min(outbox.created).as("oldest") }).from(outbox)
      .where(eq(outbox.state, "pending")),
  );
  const { n = 0, oldest } = open ?? {};
  const age = now - (oldest ?? now);
  return toCheckResult("outbox", {
    wrong: age > MAX_EVENT_AGE_MS ? [`the oldest event has been waiting for ${minutes(age)}`] : [],
    ok: n === 0 ? "No event is waiting" : `Events waiting: ${n}, the oldest for ${minutes(age)}`,
    problem: () => `Events waiting too long: ${n}. Check that the service is running`,
    result: "warning",
  });
};

/** Checks that each job started within twice its interval. Jobs that never ran are not late. */
const checkJobs: Check = async ({ database, now }) => {
  const rows = await database.all(
    select({ name: leases.name, until: leases.until }).from(leases),
  );
  const until = new Map(rows.map((row) => [row.name, row.until]));
  const late = JOBS.flatMap(({ name, intervalMs }) => {
    const lateMs = now - (until.get(name) ?? now);
    return lateMs > intervalMs ? [`${name} is ${minutes(lateMs)} late`] : [];
  });
  return toCheckResult("jobs", {
    wrong: late,
    ok: "Scheduled jobs are on time",
    problem: () => "Scheduled jobs are late. Check that the service is running",
    result: "warning",
  });
};

/** Tables with such references. */
const POINTERS = [
  { table: "tagged_items", type: "object_type", id: "object_id" },
  { table: "contact_assignments", type: "object_type", id: "object_id" },
  { table: "certificate_assignments", type: "assigned_object_type", id: "assigned_object_id" },
  { table: "endpoints", type: "assigned_object_type", id: "assigned_object_id" },
  { table: "services", type: "parent_object_type", id: "parent_object_id" },
] as const;

/** Returns the condition that the object exists. Unknown types have no objects. */
function present(type: SQL, id: SQL): SQL {
  const cases = resources.map((one) =>
    sql`WHEN ${one.objectType} THEN EXISTS (SELECT 1 FROM ${sql.identifier(getTableName(one.table))} AS target
      WHERE target.id = ${id})`
  );
  return sql`CASE ${type} ${sql.join(cases, sql` `)} ELSE 0 END`;
}

/** Checks tags, assignments, endpoints and services. One statement per table. */
const checkOrphans: Check = async ({ database }) => {
  const answers = await database.batch(POINTERS.map(({ table, type, id }) => {
    const [typeOf, idOf] = [sql`pointer.${sql.identifier(type)}`, sql`pointer.${sql.identifier(id)}`];
    return sql`SELECT ${typeOf} AS type, ${idOf} AS id FROM ${sql.identifier(table)} AS pointer
      WHERE ${typeOf} IS NOT NULL AND NOT ${present(typeOf, idOf)}`;
  }));
  const wrong = POINTERS.flatMap(({ table }, index) =>
    (answers[index] ?? []).map(({ type, id }) => `${table} refers to ${type} ${id}`)
  );
  return toCheckResult("orphans", {
    wrong,
    ok: "Tags, assignments, endpoints and services refer to existing objects",
    problem: (count) => `${counted(count, "row")} ${count === 1 ? "refers" : "refer"} to missing objects`,
  });
};

/** Runs SQLite's integrity check, which includes the search index. Database servers do not allow it. */
const checkIntegrity: Check = async ({ database, kind }) => {
  if (kind === "remote") {
    return {
      check: "integrity",
      result: "ok",
      message: "Not checked: the database server is responsible",
      examples: [],
    };
  }
  const rows = await database.all<{ integrity_check: string }>(sql`PRAGMA integrity_check`);
  return toCheckResult("integrity", {
    wrong: rows.map((row) => row.integrity_check).filter((text) => text !== "ok"),
    ok: "The file is intact",
    problem: (count) => `SQLite reports ${counted(count, "fault")}`,
  });
};

/** Checks foreign keys. */
const checkReferences: Check = async ({ database }) => {
  const rows = await database.all<{ table: string; rowid: number | null; parent: string }>(
    sql`SELECT "table", rowid, parent FROM pragma_foreign_key_check`,
  );
  return toCheckResult("references", {
    wrong: rows.map((row) => `${row.table} ${row.rowid ?? ""} refers to a missing row of ${row.parent}`),
    ok: "All references are valid",
    problem: (count) => `${counted(count, "reference")} to missing rows`,
  });
};

/** Statements that return the ids of certificates with wrong derived rows. */
const RULES: readonly { readonly fault: string; readonly ids: SQL }[] = [
  {
    fault: "names of certificate",
    ids: sql`SELECT c.id AS id FROM certificates AS c, json_each(c.sans) AS element WHERE NOT EXISTS (
        SELECT 1 FROM certificate_sans AS kept WHERE kept.value COLLATE NOCASE = element.value
          AND kept.certificate_id = c.id AND kept.position = element.key AND kept.value = element.value)
      UNION SELECT certificate_id FROM certificate_sans AS kept WHERE NOT EXISTS (
        SELECT 1 FROM certificates AS c WHERE c.id = kept.certificate_id AND c.sans ->> kept.position = kept.value)`,
  },
  {
    fault: "findings of certificate",
    ids: sql`SELECT certificate_id AS id FROM certificate_findings AS kept WHERE NOT EXISTS (
        SELECT 1 FROM certificates AS c, json_each(c.findings) AS finding
        WHERE c.id = kept.certificate_id AND finding.value ->> 'code' = kept.code)
      UNION SELECT c.id FROM certificates AS c, json_each(c.findings) AS finding WHERE NOT EXISTS (
        SELECT 1 FROM certificate_findings WHERE code = finding.value ->> 'code' AND certificate_id = c.id)`,
  },
  {
    fault: "search index without certificate",
    ids: sql`SELECT id FROM certificates WHERE id NOT IN (
        SELECT id FROM certificate_search_docsize UNION ALL SELECT id FROM unindexed_certificates)`,
  },
  {
    fault: "search index of missing certificate",
    ids: sql`SELECT id FROM certificate_search_docsize WHERE id NOT IN (SELECT id FROM certificates)`,
  },
  {
    fault: "count of the certificates from",
    ids: sql`SELECT block * 1024 AS id FROM (
        SELECT id >> 10 AS block, count(*) AS n FROM certificates GROUP BY 1
        EXCEPT SELECT block, n FROM certificate_blocks
      ) UNION SELECT block * 1024 FROM (
        SELECT block, n FROM certificate_blocks
        EXCEPT SELECT id >> 10, count(*) FROM certificates GROUP BY 1
      )`,
  },
  {
    fault: "unused chain",
    ids: sql`SELECT id FROM issuer_chains WHERE NOT EXISTS (
        SELECT 1 FROM certificate_issuer_chains WHERE chain_id = issuer_chains.id)`,
  },
  {
    fault: "text of certificate",
    ids:
      sql`SELECT c.id AS id FROM certificates AS c LEFT JOIN certificate_texts AS t ON t.certificate_id = c.id
      WHERE c.has_pem <> (coalesce(t.pem_content, '') <> '' OR t.der IS NOT NULL)`,
  },
];

/** Checks names, findings, search index, counts and texts. */
const checkDerived: Check = async ({ database }) => {
  const answers = await database.batch(RULES.map(({ ids }) => ids));
  const wrong = RULES.flatMap(({ fault }, index) => (answers[index] ?? []).map(({ id }) => `${fault} ${id}`));
  return toCheckResult("derived", {
    wrong,
    ok: "Names, search index and counts match the certificates",
    problem: (count) => `${counted(count, "row")} ${count === 1 ? "does" : "do"} not match the certificates`,
  });
};

export interface Checkup {
  /** Whether no check failed. Warnings are not failures. */
  readonly ok: boolean;
  readonly checks: readonly CheckResult[];
}

const CHECKS: Readonly<Record<string, Check>> = {
  integrity: checkIntegrity,
  migrations: checkMigrations,
  schema: checkSchema,
  references: checkReferences,
  orphans: checkOrphans,
  derived: checkDerived,
  outbox: checkOutbox,
  jobs: checkJobs,
};

/**
 * Runs checks without changing anything. A check that cannot read the database fails with the reason.
 * @param options.only Names of checks; all by default.
 * @param options.onCheck Called with the name of each check before it runs.
 */
export async function checkDatabase(
  input: CheckInput,
  { only, onCheck }: { only?: readonly string[]; onCheck?: (name: string) => void } = {},
): Promise<Checkup> {
  const checks: CheckResult[] = [];
  for (const [name, check] of Object.entries(CHECKS)) {
    if (only !== undefined && !only.includes(name)) continue;
    onCheck?.(name);
    checks.push(await check(input).catch((error) => unreadable(name, error)));
  }
  return { ok: checks.every(({ result }) => result !== "failed"), checks };
}

function reasonOf(error: unknown): string {
  if (error instanceof AppError && "detail" in error.public) return String(error.public.detail);
  return error instanceof Error ? error.message : String(error);
}

function unreadable(check: string, error: unknown): CheckResult {
  return { check, result: "failed", message: `Cannot be read: ${reasonOf(error)}`, examples: [] };
}

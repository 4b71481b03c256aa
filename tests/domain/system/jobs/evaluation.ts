/** Data for tests of the daily evaluation. */

import { sql } from "drizzle-orm";
import type { TestApp } from "../../../support/app.ts";
import { seed } from "../../../support/seed.ts";
import { clear } from "../../compliance/support.ts";

const { acmeWeb, globexWeb } = seed.certificates;

/** Deletes all certificates except two that have a PEM, and all policies; the last round began at the current time. */
export async function prepare(app: TestApp): Promise<void> {
  await clear(app);
  await app.database.write((tx) =>
    tx.runAll([
      sql`DELETE FROM certificates WHERE id NOT IN (${acmeWeb}, ${globexWeb})`,
      sql`UPDATE evaluation_progress SET round_began = ${app.clock.now()}`,
    ])
  );
}

/** The state of all certificates: id, status of the chain, number of checks. */
export async function states({ database }: TestApp): Promise<unknown[]> {
  const rows = await database.all<{ id: number; chain_status: string | null; checks: number }>(
    sql`SELECT id, chain_status, (SELECT count(*) FROM compliance_checks WHERE certificate_id = certificates.id) AS checks
      FROM certificates ORDER BY id`,
  );
  return rows.map(({ id, chain_status, checks }) => [id, chain_status, checks]);
}

/** A database with another `write`. */
export function replaced<Database extends object>(database: Database, write: unknown): Database {
  return new Proxy(database, {
    get: (target, name) => {
      const value = Reflect.get(target, name, target);
      return name === "write" ? write : typeof value === "function" ? value.bind(target) : value;
    },
  });
}

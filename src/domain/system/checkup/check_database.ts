/** Everything that can be checked of a database, in an order in which one rests upon the other. */

import { checkDerived } from "./derived.ts";
import type { Check, Finding, Inspected } from "./finding.ts";
import { checkIntegrity, checkReferences } from "./integrity.ts";
import { checkOrphans } from "./orphans.ts";
import { checkMigrations, checkSchema } from "./schema.ts";
import { checkJobs, checkOutbox } from "./work.ts";

/** The outcome. */
export interface Checkup {
  /** Whether nothing has failed; warnings are not failures. */
  readonly ok: boolean;
  readonly checks: readonly Finding[];
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
 * Checks a database, and changes nothing. What a check cannot read has failed: the reason is in the finding.
 * @param options.only names of checks; all of them unless said.
 * @param options.onCheck is told of each check before it begins.
 */
export async function checkDatabase(
  inspected: Inspected,
  { only, onCheck }: { only?: readonly string[]; onCheck?: (name: string) => void } = {},
): Promise<Checkup> {
  const checks: Finding[] = [];
  for (const [name, check] of Object.entries(CHECKS)) {
    if (only !== undefined && !only.includes(name)) continue;
    onCheck?.(name);
    checks.push(await check(inspected).catch((error) => unreadable(name, error)));
  }
  return { ok: checks.every(({ result }) => result !== "failed"), checks };
}

function unreadable(check: string, error: unknown): Finding {
  const reason = error instanceof Error ? error.message : String(error);
  return { check, result: "failed", message: `Cannot be read: ${reason}`, examples: [] };
}

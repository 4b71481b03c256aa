/** Checks a database. Later checks rely on earlier ones. */

import { AppError } from "../../../base/errors.ts";
import { checkDerived } from "./derived.ts";
import type { Check, CheckInput, CheckResult } from "./check_result.ts";
import { checkIntegrity, checkReferences } from "./integrity.ts";
import { checkOrphans } from "./orphans.ts";
import { checkMigrations, checkSchema } from "./schema.ts";
import { checkJobs, checkOutbox } from "./work.ts";

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

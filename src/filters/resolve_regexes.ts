/**
 * Replaces the regular expressions of a condition before it is compiled, because the REGEXP of libSQL
 * backtracks, and SQLite has none by default. Reads the distinct values of the column, matches them, and
 * replaces the comparison by equality with the matching values.
 */

import { finding } from "../base/findings.ts";
import { AppError, invalid } from "../base/errors.ts";
import { REGEX_SCAN_PAGE, REGEX_SCAN_STEPS, REGEX_SCAN_VALUES } from "./limits.ts";
import type { Reader } from "../db/database.ts";
import { type Comparison, type Condition, EVERYTHING } from "./ast.ts";
import { and } from "./combine.ts";
import { type CompileContext, compileDistinct } from "./compile.ts";
import { fieldByName, type FieldMap, type FilterField, targetMapOf } from "./field_map.ts";
import { takePattern } from "./regex.ts";

interface Resolution {
  readonly map: FieldMap;
  readonly context: CompileContext;
  readonly reader: Reader;
  /** Rows of the root table that the rest of the condition selects. */
  readonly within: Condition;
  readonly budget: ScanBudget;
}

/** The number of remaining values and steps for the regular expressions of a request. */
export interface ScanBudget {
  values: number;
  steps: number;
}

/** Returns the budget of a request. */
export function scanBudget(): ScanBudget {
  return { values: REGEX_SCAN_VALUES, steps: REGEX_SCAN_STEPS };
}

/** Returns whether a condition contains a regular expression. */
function usesRegex(condition: Condition): boolean {
  switch (condition.kind) {
    case "and":
    case "or":
      return condition.terms.some(usesRegex);
    case "not":
      return usesRegex(condition.term);
    case "search":
      return false;
    case "compare":
      return condition.operator === "regex" || condition.operator === "iregex";
  }
}

/**
 * Replaces each regular expression by the values that match it. Without any, nothing is read. Reads only
 * values of rows that the other terms of a top-level AND select, and of related rows that the caller may
 * view.
 *
 * @throws {AppError} `invalid` if more than `REGEX_SCAN_VALUES` values or more than `REGEX_SCAN_STEPS` steps
 * would be necessary
 * @param options.budget The remaining budget of the request; a new one by default.
 */
export async function resolveRegexes(
  condition: Condition,
  map: FieldMap,
  options: CompileContext & { readonly reader: Reader; readonly budget?: ScanBudget },
): Promise<Condition> {
  if (!usesRegex(condition)) return condition;
  const { reader, budget = scanBudget(), ...context } = options;
  const terms = condition.kind === "and" ? condition.terms : [condition];
  const within = and(...terms.filter((term) => !usesRegex(term)));
  return await resolveNode(condition, {
    map,
    context,
    reader,
    within,
    budget,
  });
}

async function resolveNode(condition: Condition, resolution: Resolution): Promise<Condition> {
  if (!usesRegex(condition)) return condition;
  switch (condition.kind) {
    case "and":
    case "or": {
      const terms: Condition[] = [];
      for (const term of condition.terms) terms.push(await resolveNode(term, resolution));
      return { kind: condition.kind, terms };
    }
    case "not":
      return { kind: "not", term: await resolveNode(condition.term, resolution) };
    case "compare":
      return { ...condition, operator: "exact", values: await matchingValues(condition, resolution) };
    case "search":
      return condition;
  }
}

async function matchingValues(term: Comparison, resolution: Resolution): Promise<string[]> {
  const ignoreCase = term.operator === "iregex";
  const patterns = term.values.map((source) => takePattern(String(source), { ignoreCase }));
  const size = patterns.reduce((sum, pattern) => sum + pattern.size, 0);
  const { budget } = resolution;
  const { map, field } = endOf(term.path, resolution.map);
  const matching: string[] = [];
  for await (const value of valuesOf({ map, field, root: term.path.length === 1 }, resolution)) {
    budget.values -= 1;
    budget.steps -= size * (value.length + 1);
    if (budget.values < 0 || budget.steps < 0) throw tooMuch(term.path.join("__"));
    if (patterns.some((pattern) => pattern.test(value))) matching.push(value);
  }
  return matching;
}

/** Yields the distinct values of a field. */
async function* valuesOf(
  { map, field, root }: { map: FieldMap; field: FilterField; root: boolean },
  { context, reader, within }: Resolution,
): AsyncGenerator<string> {
  if (field.kind === "choice") return yield* field.choices;
  let after: string | undefined;
  while (true) {
    const query = compileDistinct(field, map, {
      context,
      within: root ? within : EVERYTHING,
      after,
      limit: REGEX_SCAN_PAGE,
    });
    const rows = await reader.all<{ value: string }>(query);
    for (const { value } of rows) yield value;
    after = rows.at(-1)?.value;
    if (rows.length < REGEX_SCAN_PAGE) return;
    // Other requests run between two pages.
    await new Promise((resolve) => setTimeout(resolve, 0));
  }
}

function endOf(path: readonly string[], root: FieldMap): { map: FieldMap; field: FilterField } {
  let map = root;
  for (const [index, name] of path.entries()) {
    const field = fieldByName(map, name);
    if (field === undefined) break;
    if (index === path.length - 1) return { map, field };
    map = targetMapOf(field) ?? map;
  }
  throw new Error(`No field "${path.join("__")}" in ${root.objectType}`);
}

function tooMuch(name: string): AppError {
  return invalid([{ ...finding("regex_too_expensive"), field: name }]);
}

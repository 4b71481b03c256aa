/** Reads the arguments of a list. */

import type { GraphQLError } from "graphql";
import { type Context, isGranted } from "../../auth/mod.ts";
import { addFinding, type Finding, finding } from "../../base/findings.ts";
import {
  type Condition,
  EVERYTHING,
  isDictionary,
  mapIn,
  parseFiltersObject,
  parseOrdering,
  type RegexAllowance,
} from "../../filters/mod.ts";
import {
  CUSTOM_COLUMN,
  CUSTOM_PREFIX,
  type Resource,
  type Slice,
  withoutSetAside,
} from "../../resource/mod.ts";
import { ACROSS } from "../schema/filters.ts";
import { badArguments } from "./errors.ts";

/** Arguments that the schema has validated. */
export type Arguments = Readonly<Record<string, unknown>>;

/** Context of reading arguments. */
export interface ReadOptions {
  readonly resource: Resource;
  readonly ctx: Context;
  /** The number of regular expressions that the query may still contain. */
  readonly regexes: RegexAllowance;
  /** Path of the list in the response. */
  readonly path: readonly string[];
  readonly errors: GraphQLError[];
}

/**
 * Reads `filters`, `pagination` and `ordering`. Adds an error for each invalid argument.
 * @param options.fallback The number of rows of a list without a limit.
 */
export function readSlice(args: Arguments, options: ReadOptions & { readonly fallback: number }): Slice {
  const { resource, ctx, path, errors } = options;
  const { settings } = ctx;
  const filter = readFilterArgument(args, options);
  const pagination: Record<string, number | null> = { ...args.pagination ?? {} };
  const found: Finding[] = [];
  for (const [name, value] of Object.entries(pagination)) {
    if (value !== null && value < 0) {
      addFinding(
        found,
        `pagination.${name}`,
        finding("unexpected", { expected: "a whole number of 0 or more", value }),
      );
    }
  }
  const { limit, offset, start } = pagination;
  const ordering = Array.isArray(args.ordering) ? args.ordering.join(",") : undefined;
  const order = parseOrdering(ordering, mapIn(ctx, resource.map), { fallback: resource.order });
  found.push(...order.errors);
  if (typeof start === "number" && (typeof offset === "number" || (ordering ?? []).length > 0)) {
    addFinding(found, "pagination.start", finding("cursor_with_order"));
  }
  errors.push(...badArguments(found, { prefix: "", path }));
  const most = settings.maxPageSize;
  const asked = typeof limit === "number" ? limit || most : options.fallback;
  return {
    filter,
    order: order.keys,
    limit: Math.min(asked, most),
    offset: offset ?? 0,
    ...(typeof start === "number" ? { start } : {}),
  };
}

/**
 * Reads `filters`. Adds an error for each invalid one. They are not checked if the caller may view nothing:
 * the list is then refused or empty when it is read.
 */
export function readFilterArgument(
  args: Arguments,
  { resource, ctx, path, errors, regexes }: ReadOptions,
): Condition {
  if (args.filters === undefined || args.filters === null) return withoutSetAside(resource, EVERYTHING, []);
  if (!isGranted(ctx, "view", resource.objectType)) return EVERYTHING;
  const given = withoutAcross(args.filters);
  const { condition, errors: found } = parseFiltersObject(given, mapIn(ctx, resource.map), { regexes });
  errors.push(...badArguments(found, { prefix: "filters", path }));
  return withoutSetAside(resource, condition, Object.keys(given as object));
}

/**
 * Converts filters to the names of REST: `{tenant__where: {name: "x"}}` becomes `{tenant__name: "x"}`, and
 * `{custom_fields: {room__gt: 4}}` becomes `{cf_room__gt: 4}`.
 */
function withoutAcross(filters: unknown, prefix = ""): unknown {
  if (Array.isArray(filters)) return filters.map((each) => withoutAcross(each, prefix));
  if (filters === null || typeof filters !== "object") return filters;
  const terms: Record<string, unknown> = {};
  const across: unknown[] = [];
  for (const [name, value] of Object.entries(filters)) {
    if (name === "AND" || name === "OR" || name === "NOT") terms[name] = withoutAcross(value, prefix);
    else if (name === CUSTOM_COLUMN && isDictionary(value)) {
      for (const [field, one] of Object.entries(value)) terms[`${prefix}${CUSTOM_PREFIX}${field}`] = one;
    } else if (!name.endsWith(ACROSS)) terms[prefix + name] = value;
    else across.push(withoutAcross(value, `${prefix}${name.slice(0, -ACROSS.length)}__`));
  }
  if (across.length === 0) return terms;
  return { ...terms, AND: [...(Array.isArray(terms.AND) ? terms.AND : []), ...across] };
}

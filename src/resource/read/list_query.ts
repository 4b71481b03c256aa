/** Parses the query parameters of lists and details, for all interfaces with query strings. */

import { addFinding, type Finding, finding } from "../../base/findings.ts";
import { authorize, type Context } from "../../auth/mod.ts";
import { invalid } from "../../base/errors.ts";
import { MAX_FIELD_NAMES } from "../../base/limits.ts";
import {
  type Condition,
  mapIn,
  nearest,
  type OrderKey,
  parseOrdering,
  parseQuery,
  type RegexAllowance,
} from "../../filters/mod.ts";
import type { Resource } from "../model/definition.ts";
import { quote, unexpected } from "../model/fields/messages.ts";
import { COMMON_NAMES, type Selection } from "./select.ts";
import { withoutSetAside } from "./set_aside.ts";

/** A requested page. */
export interface ListQuery {
  readonly filter: Condition;
  readonly order: readonly OrderKey[];
  readonly limit: number;
  readonly offset: number;
  /** Cursor paging: rows from this id on, ordered by id, without a count. */
  readonly start?: number;
  readonly selection: Selection;
}

/** Parameters that NetBox's clients send with every request. They are accepted everywhere. */
export const ALWAYS_KNOWN: readonly string[] = ["brief", "exclude", "format"];

/** Parameters that are not filters. `format` and `exclude` are accepted but have no effect. */
const LIST_PARAMETERS = [
  "limit",
  "offset",
  "start",
  "ordering",
  "brief",
  "fields",
  "omit",
  "include_pem",
  "exclude",
  "format",
] as const;
const RESERVED = new Set<string>(LIST_PARAMETERS);

/**
 * Authorizes a list and parses its parameters. `regexes` is the allowance of the request, by default a new one. Errors:
 * forbidden, invalid with all invalid parameters.
 */
export function parseListQuery(
  ctx: Context,
  { resource, params, ...options }: { resource: Resource; params: URLSearchParams; regexes?: RegexAllowance },
): ListQuery {
  authorize(ctx, "view", resource.map);
  const { condition, errors } = parseQuery(params, mapIn(ctx, resource.map), {
    reserved: RESERVED,
    ...options,
  });
  const selection = readSelection({ resource, params, errors }, {
    long: params.get("include_pem") === "true",
  });
  readBoolean(params, "include_pem", errors);
  const ordering = params.get("ordering");
  const order = parseOrdering(ordering, mapIn(ctx, resource.map), { fallback: resource.order });
  errors.push(...order.errors);
  const start = readNumber(params, "start", errors);
  if (start !== undefined && (params.has("offset") || ordering !== null)) {
    addFinding(errors, "start", finding("cursor_with_order"));
  }
  const { limit, offset } = readPaging(params, errors, ctx);
  if (errors.length > 0) throw invalid(errors);
  return {
    filter: withoutSetAside(resource, condition, params.keys()),
    order: order.keys,
    limit,
    offset,
    selection,
    ...(start === undefined ? {} : { start }),
  };
}

/** Parses `limit` and `offset`. Adds messages to `errors`. */
export function readPaging(
  params: URLSearchParams,
  errors: Finding[],
  ctx: Context,
): { limit: number; offset: number } {
  return { limit: readLimit(params, errors, ctx), offset: readNumber(params, "offset", errors) ?? 0 };
}

/** Parses the parameters for the details of an object. Errors: invalid. */
export function parseDetailQuery(resource: Resource, params: URLSearchParams): Selection {
  const errors: Finding[] = [];
  const known = ["brief", "fields", "omit", "exclude", "format", "include_pem"];
  for (const name of new Set(params.keys())) {
    if (!known.includes(name)) {
      addFinding(errors, name, finding("unknown_parameter", { names: known }));
    }
  }
  const selection = readSelection({ resource, params, errors }, { long: true });
  if (errors.length > 0) throw invalid(errors);
  return selection;
}

/** Parameters that are read, and the errors found in them. */
interface Query {
  readonly resource: Resource;
  readonly params: URLSearchParams;
  readonly errors: Finding[];
}

function readSelection(query: Query, { long }: { long: boolean }): Selection {
  const { params, errors } = query;
  const fields = readNames(query, "fields");
  return {
    brief: readBoolean(params, "brief", errors) ?? false,
    omit: readNames(query, "omit") ?? [],
    long,
    ...(fields === undefined ? {} : { fields }),
  };
}

/** Returns the names in a parameter that may be repeated, and have several names each. */
export function namesIn(params: URLSearchParams, parameter: string): string[] {
  return params.getAll(parameter).flatMap((list) => list.split(",")).map((name) => name.trim()).filter(
    Boolean,
  );
}

function readNames({ resource, params, errors }: Query, parameter: string): string[] | undefined {
  if (!params.has(parameter)) return undefined;
  const readable = Object.values(resource.fields).filter((field) => !field.writeOnly).map((field) =>
    field.name
  );
  const known = [...readable, ...COMMON_NAMES];
  const names = namesIn(params, parameter);
  if (names.length > MAX_FIELD_NAMES) {
    addFinding(errors, parameter, tooManyNames(names.length));
    return [];
  }
  for (const name of names) {
    if (!known.includes(name)) {
      const suggestion = nearest(name, known);
      addFinding(errors, parameter, finding("unknown_field_name", { value: quote(name), suggestion }));
    }
  }
  return names;
}

/** Returns the finding about a list of fields that is too long. */
export function tooManyNames(count: number): Finding {
  return finding("unexpected", { expected: `at most ${MAX_FIELD_NAMES} fields`, value: count });
}

function readBoolean(params: URLSearchParams, name: string, errors: Finding[]): boolean | undefined {
  const given = params.get(name);
  if (given === null || given === "") return undefined;
  if (["true", "True", "1"].includes(given)) return true;
  if (["false", "False", "0"].includes(given)) return false;
  addFinding(errors, name, unexpected("true or false", given));
  return undefined;
}

function readNumber(params: URLSearchParams, name: string, errors: Finding[]): number | undefined {
  const given = params.get(name);
  if (given === null || given === "") return undefined;
  if (/^\d{1,15}$/.test(given)) return Number(given);
  addFinding(errors, name, unexpected("a whole number of 0 or more", given));
  return undefined;
}

/** Parses the limit. 0 and values above the maximum mean the largest page, as in NetBox. */
function readLimit(params: URLSearchParams, errors: Finding[], { settings }: Context): number {
  const given = readNumber(params, "limit", errors);
  if (given === undefined) return Math.min(settings.defaultPageSize, settings.maxPageSize);
  return given === 0 ? settings.maxPageSize : Math.min(given, settings.maxPageSize);
}

/** Searches all resources for objects that match every word of a text. */

import { type Context, isGranted } from "../../../auth/mod.ts";
import { invalidField } from "../../../base/errors.ts";
import { readHexDigits } from "../../../base/spellings/hex.ts";
import {
  and,
  compare,
  type Condition,
  not,
  NOTHING,
  or,
  parseOrdering,
  parseQuery,
} from "../../../filters/mod.ts";
import { listObjects, type Out, type Resource, type Selection } from "../../../resource/mod.ts";
import { relativeNames } from "../../../x509/mod.ts";
import { authorities } from "../../authorities/mod.ts";
import { certificates } from "../../certificates/mod.ts";
import { tags, tenants } from "../../inventory/mod.ts";

/** A number in groups of digits, which is one word. Groups of four may also be words or years. */
const GROUPED =
  /^\W*(?:[0-9a-f]{2}(?:[ :-][0-9a-f]{2})+|(?=.*\d)(?=.*[a-f])[0-9a-f]{4}(?:[ :-][0-9a-f]{4})+)\W*$/i;

/** Maximum number of words, because each adds a few conditions. */
const MAX_WORDS = 6;
/** Maximum length of a search. */
const MAX_CHARS = 200;
/** Maximum number of related objects by which a word finds certificates. */
const MAX_RELATED = 50;

/** The first matching objects of one resource. */
export interface SearchGroup {
  readonly resource: Resource;
  readonly rows: readonly Out[];
  /** Whether more objects match than `rows` contains. */
  readonly more: boolean;
  /** Whether the text is the name of an object. */
  readonly exact: boolean;
}

/** Resources by whose names a word finds certificates, and the filter that accepts their ids. */
const RELATED: readonly (readonly [Resource, string])[] = [
  [tenants, "tenant_id"],
  [tags, "tag_id"],
  [authorities, "issuing_ca_id"],
];

/**
 * Finds up to `limit` objects of each resource. Objects whose name is the text come first, and so do their resources, except
 * accounts. Then come current certificates, ordered by whether their common name contains all words, then by expiry. Other
 * objects have the order of their lists. A certificate matches a word that `q` of its list finds, or that is in the name
 * of its tenant, of a tag or of its authority. Resources that the caller may not view are left out. Errors: invalid (the search is too long).
 */
export async function searchInventory(
  { ctx, text, resources, limit, fields }: {
    ctx: Context;
    text: string;
    resources: readonly Resource[];
    limit: number;
    /** Returns the fields to read. */
    fields: (resource: Resource) => readonly string[];
  },
): Promise<SearchGroup[]> {
  const words = wordsOf(text);
  if (words.length === 0) return [];
  const searched = resources.filter(({ objectType, search }) =>
    search.fields.length > 0 && isGranted(ctx, "view", objectType)
  );
  const groups = await Promise.all(searched.map(async (resource): Promise<SearchGroup> => {
    const name = nameOf(resource);
    const selection = { ...WHOLE, fields: [...fields(resource), ...name === undefined ? [] : [name]] };
    const request = { resource, limit: limit + 1, selection };
    const exact = name === undefined ? NOTHING : compare(name, "iexact", [text.trim()]);
    const rows = resource.objectType === certificates.objectType
      ? await findCertificates(ctx, { ...request, words, exact })
      : await findObjects(ctx, { ...request, words, exact });
    const isNamed = (row: Found): boolean =>
      name !== undefined && String(row[name]).toLowerCase() === text.trim().toLowerCase();
    const first = rows.filter(isNamed);
    return {
      resource,
      rows: [...first, ...rows.filter((row) => !isNamed(row))].slice(0, limit),
      more: rows.length > limit,
      // A user or a group can have the name of a tenant, for which people search more often.
      exact: first.length > 0 && !resource.objectType.startsWith("users."),
    };
  }));
  const rank = ({ exact, resource }: SearchGroup): number =>
    exact ? 0 : resource === certificates ? 1 : resource === tenants ? 2 : 3;
  return groups.filter(({ rows }) => rows.length > 0).toSorted((a, b) => rank(a) - rank(b));
}

type Found = Out;

interface ResourceSearch {
  readonly resource: Resource;
  readonly limit: number;
  readonly selection: Selection;
  readonly words: readonly string[];
  /** Objects whose name is the text. */
  readonly exact: Condition;
}

/** Finds objects; a second statement reads those with the exact name if more than the first rows match. */
async function findObjects(ctx: Context, { words, exact, ...request }: ResourceSearch): Promise<Found[]> {
  const filter = and(...words.map((word): Condition => ({ kind: "search", text: word })));
  const rows = await firstRows(ctx, { ...request, filter });
  if (rows.length < request.limit || exact === NOTHING) return rows;
  return unique([...await firstRows(ctx, { ...request, filter: and(filter, exact) }), ...rows]);
}

/** Finds certificates, the best matches first. */
async function findCertificates(
  ctx: Context,
  { words, exact, ...request }: ResourceSearch,
): Promise<Found[]> {
  const filter = and(...await Promise.all(words.map((word) => certificateCondition(ctx, word))));
  const named = and(...words.map((word) => compare("common_name", "icontains", [word])));
  const tiers = [and(CURRENT, exact), and(CURRENT, named), and(CURRENT, not(named)), not(CURRENT)];
  let rows: Found[] = [];
  for (const tier of tiers) {
    if (rows.length >= request.limit) break;
    rows = unique([...rows, ...await firstRows(ctx, { ...request, filter: and(filter, tier) })]);
  }
  return rows;
}

/** Returns the rows without repetitions. */
function unique(rows: readonly Found[]): Found[] {
  return [...new Map(rows.map((row) => [row.id, row])).values()];
}

/** Returns the field with the name of an object; undefined for objects that only refer to others. */
function nameOf({ displayNeeds: [name], search }: Resource): string | undefined {
  return name !== undefined && search.fields.includes(name) ? name : undefined;
}

/** Current certificates, which come first. */
const CURRENT = compare("status", "exact", ["active", "pending", "expired"]);

const WHOLE = { brief: false, omit: [], long: false };

/** Splits a search into words. Errors: invalid. */
function wordsOf(text: string): string[] {
  if (text.length > MAX_CHARS) {
    throw invalidField("q", "search_too_long", { max: MAX_CHARS, things: "characters", count: text.length });
  }
  const grouped = GROUPED.test(text) ? readHexDigits(text) : undefined;
  const names = relativeNames(text);
  const parts = names.length > 0 ? names : text.split(/\s+/).filter(Boolean);
  const words = grouped === undefined ? [...new Set(parts)] : [grouped];
  if (words.length > MAX_WORDS) {
    throw invalidField("q", "search_too_long", { max: MAX_WORDS, things: "words", count: words.length });
  }
  return words;
}

async function certificateCondition(ctx: Context, word: string): Promise<Condition> {
  const params: (readonly [string, string])[] = [];
  for (const [resource, filter] of RELATED) {
    if (!isGranted(ctx, "view", resource.objectType)) continue;
    const rows = await firstRows(ctx, {
      resource,
      filter: { kind: "search", text: word },
      limit: MAX_RELATED,
      selection: { ...WHOLE, fields: ["id"] },
    });
    for (const { id } of rows) params.push([filter, String(id)]);
  }
  const byName = Map.groupBy(params, ([name]) => name);
  // A term that the filter language refuses, such as a serial number with too many digits, matches nothing.
  const terms = [...byName.values()].map((same) => parseQuery(same, certificates.map, NOTHING_RESERVED))
    .filter(({ errors }) => Object.keys(errors).length === 0).map(({ condition }) => condition);
  return or({ kind: "search", text: word }, ...terms);
}

const NOTHING_RESERVED = { reserved: new Set<string>() };

async function firstRows(
  ctx: Context,
  { resource, filter, limit, selection }: {
    resource: Resource;
    filter: Condition;
    limit: number;
    selection: Selection;
  },
): Promise<Out[]> {
  const ordering = resource.objectType === certificates.objectType ? "valid_to" : null;
  const { keys: order } = parseOrdering(ordering, resource.map, { fallback: resource.order });
  const query = { filter, order, limit, offset: 0, selection };
  return (await listObjects({ ctx, resource, query })).results;
}

/** Choices for references: objects that the user may view, by name. */

import type { Certificate, certificates } from "../../../domain/certificates/mod.ts";
import { isGranted } from "../../../auth/mod.ts";
import { expiryText } from "../../../base/amounts.ts";
import { MAX_FILTER_VALUE_CHARS } from "../../../filters/mod.ts";
import {
  type AnyObject,
  cacheUntilChange,
  type Field,
  type Resource,
  viewKey,
} from "../../../resource/mod.ts";
import type { Call } from "../../call.ts";
import { type SelectOption, truncate } from "../components/mod.ts";
import { capitalized } from "../../messages.ts";
import { type Params, readRows } from "../list/read_list.ts";
import { issuerName } from "./short_name.ts";

/** Maximum number of objects in a select; with more, the user types and a script suggests. */
export const MAX_SELECT_OPTIONS = 100;
/** Maximum number of suggestions. */
export const SUGGESTIONS = 20;

/** Returns the resource to which a field refers. */
export function referenceTarget(field: Field): Resource | undefined {
  return field.target?.();
}

/** Returns all objects of a resource, by name; undefined if there are too many. One statement if nothing has changed. */
export async function choicesFor(
  call: Call,
  resource: Resource,
): Promise<readonly SelectOption[] | undefined> {
  return await cacheUntilChange(call.ctx, viewKey(call.ctx, `choices ${resource.objectType}`), async () => {
    const options = await some(call, resource, { limit: MAX_SELECT_OPTIONS + 1 });
    return options.length > MAX_SELECT_OPTIONS ? undefined : options;
  });
}

/** Returns the objects with these ids, by name. One statement or two; none without ids. */
export async function choicesByIds(
  call: Call,
  resource: Resource,
  ids: readonly string[],
): Promise<readonly SelectOption[]> {
  const known = knownIds(ids);
  return known.length === 0 ? [] : await some(call, resource, { limit: 0, id: known });
}

/** Returns the objects with these ids as {@link choicesByIds}, and what the form shows of them if they are certificates. */
export async function chosenByIds(
  call: Call,
  resource: Resource,
  ids: readonly string[],
): Promise<{ readonly options: readonly SelectOption[]; readonly details?: Details }> {
  if (!expires(resource)) return { options: await choicesByIds(call, resource, ids) };
  const known = knownIds(ids);
  if (known.length === 0 || !isGranted(call.ctx, "view", resource.objectType)) {
    return { options: [], details: new Map() };
  }
  const params = { limit: 0, id: known };
  const { rows } = await readRows(call, resource, { params, fields: CERTIFICATE_FIELDS });
  return {
    options: rows.map(optionOf),
    details: new Map(rows.map((row) => [String(row.id), detailOf(row)])),
  };
}

/** What a form shows below its choice, by id: "Expires in 23 days, issued by R12". */
export type Details = ReadonlyMap<string, string>;

function knownIds(ids: readonly string[]): string[] {
  return ids.filter((id) => /^\d{1,15}$/.test(id));
}

/** Returns whether the objects of a resource are certificates, which can have the same name. */
function expires(resource: Resource): resource is typeof certificates {
  return resource.fields.days_remaining !== undefined;
}

/** The fields that distinguish certificates. */
const CERTIFICATE_FIELDS = ["id", "display", "days_remaining", "status", "issuer"] as const;

/** Objects that match a typed text, and whether there are more. */
export interface Suggestions {
  readonly options: readonly SelectOption[];
  /** What distinguishes them, in the same order: when certificates expire. */
  readonly notes?: readonly string[];
  /** What a form shows below the chosen one, by id. */
  readonly details?: Details;
  readonly more: boolean;
}

type Suggested = Pick<Certificate, (typeof CERTIFICATE_FIELDS)[number]>;

/** Statuses of certificates that are no longer in use. */
const PAST_STATUSES = ["replaced", "revoked"];

/** The filters of suggested certificates, in their order. */
const CERTIFICATE_PARTS = [
  { expired: "false", status__n: PAST_STATUSES },
  { expired: "true", status__n: PAST_STATUSES },
  { status: PAST_STATUSES },
];

/** Returns when a certificate expires, after the status of one that is no longer in use. */
function noteOf({ days_remaining: days, status }: Pick<Certificate, "days_remaining" | "status">): string {
  const expiry = expiryText(days);
  return PAST_STATUSES.includes(status) ? `${status}, ${expiry}` : expiry;
}

/** Returns when a certificate expires and who issued it, after its status if it is no longer in use. */
function detailOf(row: Suggested): string {
  return `${capitalized(noteOf(row))}, issued by ${issuerName(row.issuer)}`;
}

/**
 * Returns the first objects that match a typed text. Certificates in use come first, then expired ones, then those that
 * were replaced or revoked, with this word. Two statements, for certificates six.
 */
export async function suggestionsFor(call: Call, resource: Resource, text: string): Promise<Suggestions> {
  if (!isGranted(call.ctx, "view", resource.objectType)) return { options: [], more: false };
  const typed = text === "" ? {} : { q: text };
  if (!expires(resource)) {
    const params = { ...typed, limit: SUGGESTIONS + 1 };
    const { rows } = await readRows(call, resource, { params, fields: ["id", "display"] });
    return { options: rows.slice(0, SUGGESTIONS).map(optionOf), more: rows.length > SUGGESTIONS };
  }
  const found: Suggested[] = [];
  for (const part of CERTIFICATE_PARTS) {
    const limit = SUGGESTIONS + 1 - found.length;
    const params = { ...part, ...typed, limit };
    if (limit > 0) {
      found.push(...(await readRows(call, resource, { params, fields: CERTIFICATE_FIELDS })).rows);
    }
  }
  const shown = found.slice(0, SUGGESTIONS);
  return {
    options: shown.map(optionOf),
    notes: shown.map(noteOf),
    details: new Map(shown.map((row) => [String(row.id), detailOf(row)])),
    more: found.length > SUGGESTIONS,
  };
}

async function some(call: Call, resource: Resource, params: Params): Promise<SelectOption[]> {
  if (!isGranted(call.ctx, "view", resource.objectType)) return [];
  const { rows } = await readRows(call, resource, { params: { ...params, brief: "true" } });
  return rows.map(optionOf);
}

function optionOf({ id, display }: Pick<AnyObject, "id" | "display">): SelectOption {
  return [String(id), truncate(display)];
}

/** Returns the names of the objects with these slugs that the user may view, by slug. One statement. */
export async function namesBySlug(
  call: Call,
  resource: Resource,
  slugs: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const known = slugs.filter((slug) => slug !== "" && slug.length <= MAX_FILTER_VALUE_CHARS);
  if (known.length === 0 || !isGranted(call.ctx, "view", resource.objectType)) return new Map();
  const params = { slug: known, start: 0, limit: 0 };
  const { rows } = await readRows(call, resource, { params, fields: ["slug", "display"] });
  return new Map(rows.map(({ slug, display }) => [String(slug), display]));
}

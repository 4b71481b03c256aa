/** What the user may choose in place of an invalid cell: suggestions, a tenant, or an object that is created from it. */

import type { Finding } from "../../../base/findings.ts";
import { nearest } from "../../../base/nearest.ts";
import { readingsOf } from "../../../base/spellings/dates.ts";
import { ALGORITHMS, STATUSES } from "../../../domain/certificates/mod.ts";
import { contacts } from "../../../domain/contacts/mod.ts";
import { devices, tags, tenants } from "../../../domain/inventory/mod.ts";
import type { PreviewRow } from "../../../domain/certificates/import_preview/mod.ts";
import type { Resource } from "../../../resource/mod.ts";
import type { Call } from "../../call.ts";
import type { SelectOption } from "../../kit/components/mod.ts";
import { choicesFor } from "../../kit/mod.ts";
import { ownMessages } from "./preview_parts.tsx";

/** Path of the suggestions of tenants. */
export const SUGGEST = "/suggest/tenants/";

/** The field with the name of the tenant. */
export const TENANT = "tenant";

/** The types of objects that can be created from the cells of columns. */
export const CREATABLE: ReadonlyMap<string, Resource> = new Map<string, Resource>(
  [["tenant", tenants], ["contacts", contacts], ["devices", devices], ["tags", tags]],
);

/** Maximum number of objects that one button creates. */
const MAX_CREATED = 100;

/** Returns the texts that name no object, of which {@link CREATABLE} has the type. */
export function unknownTexts(findings: readonly Finding[]): string[] {
  return findings.flatMap(({ code, params: { text } }) =>
    ["unknown_object", "no_object_with"].includes(code) && typeof text === "string" ? [text] : []
  );
}

/** Returns the different texts of a column that name no object, as many as one button creates. */
export function unknownIn(rows: readonly PreviewRow[], column: string): string[] {
  const texts = rows.flatMap((row) => unknownTexts(ownMessages(row, column)));
  return [...new Set(texts)].slice(0, MAX_CREATED);
}

/** Choices by column. */
const CHOICES: Readonly<Record<string, readonly string[]>> = { algorithm: ALGORITHMS, status: STATUSES };

/** Returns what can be meant by a wrong cell: the suggestions of findings, other readings, or the most similar choice. */
export function suggestionsFor(column: string, text: string, findings: readonly Finding[]): string[] {
  const suggested = findings.flatMap(({ params: { text: wrong, suggestion } }) =>
    typeof suggestion === "string" ? [replaced(text, String(wrong), suggestion)] : []
  );
  const readings = findings.some(({ code }) => code === "invalid_date") ? readingsOf(text) : [];
  const similar = CHOICES[column] === undefined
    ? undefined
    : nearest(text.trim().toLowerCase(), CHOICES[column]);
  return [...suggested, ...readings, ...(similar === undefined ? [] : [similar])];
}

/** Returns a list without a member. */
export function without(text: string, wrong: string): string {
  return text.split(/[;,]/).filter((part) => part.trim() !== wrong).join(";");
}

/** Returns a list with `meant` in place of the member `wrong`; `meant` for a text that is no list. */
function replaced(text: string, wrong: string, meant: string): string {
  const parts = text.split(/([;,])/);
  const isPart = (part: string): boolean => part.trim() === wrong;
  if (parts.length === 1 || !parts.some(isPart)) return meant;
  return parts.map((part) => isPart(part) ? part.replace(wrong, () => meant) : part).join("");
}

/** Maximum number of options of all selects of a page; with more, the user types and a script suggests. */
const MAX_OPTIONS = 400;

/**
 * Returns the tenants that a cell can contain; undefined if there are too many for `cells` selects, and empty if the user
 * may view none. A cell has the name of a tenant, or its id if another text would be ambiguous.
 */
export async function tenantCells(call: Call, cells: number): Promise<readonly SelectOption[] | undefined> {
  if (cells === 0) return [];
  const options = await choicesFor(call, tenants);
  if (options === undefined || options.length * cells > MAX_OPTIONS) return undefined;
  const isClear = (name: string): boolean => !/^\d+$|[…;,]|\(#\d+\)$/.test(name);
  return options.map(([id, name]) => [isClear(name) ? name : id, name]);
}

/**
 * Returns how a cell is chosen: from none, the tenants, and its own text, also if no tenant has this name; or from the
 * suggestions for a text.
 * @param tenants What {@link tenantCells} has returned.
 */
export function tenantChoice(
  tenants: readonly SelectOption[] | undefined,
  text: string,
): { readonly options?: readonly SelectOption[]; readonly suggest?: string } {
  if (tenants === undefined) return { suggest: SUGGEST };
  if (tenants.length === 0) return {};
  const known = text === "" || tenants.some(([value]) => value === text);
  return { options: [...(known ? [] : [[text, text] as const]), ["", "leave empty"], ...tenants] };
}

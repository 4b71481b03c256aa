/** Canonical URLs of lists. */

import type { Resource } from "../../../resource/mod.ts";
import type { Call } from "../../call.ts";
import { seeOther } from "../../responses.ts";
import { filterTarget } from "../filters/filter_description.ts";
import { readReferences } from "../reference/read_references.ts";
import { parseReference } from "../reference/reference_text.ts";
import { cleanUrl, preferredLimit } from "./read_list.ts";

/** The parameter with the number of a page, which forms send; URLs use `offset`. */
const PAGE = "page";

/**
 * Redirects a URL with parameters that only forms send to a canonical one: without empty parameters and the number of a
 * page, and with the id of a suggestion or a name. Undefined if it has none of these. At most two statements for each
 * filter with a suggestion.
 */
export async function redirectToClean(call: Call, resource: Resource): Promise<Response | undefined> {
  const clean = cleanUrl(call.url);
  const given = [...clean.searchParams];
  const params = await Promise.all(given.map((one) => byIdOrName(call, resource, one)));
  // All at once, and only if something changes, because a URL can be written in several ways.
  if (params.some(([name, value], index) => name !== given[index]?.[0] || value !== given[index]?.[1])) {
    clean.search = String(new URLSearchParams(params));
  }
  const number = clean.searchParams.get(PAGE);
  if (number !== null) {
    const limit = Number(clean.searchParams.get("limit") ?? preferredLimit(call, resource));
    const offset = /^[1-9]\d{0,8}$/.test(number) ? (Number(number) - 1) * limit : 0;
    clean.searchParams.delete(PAGE);
    clean.searchParams.delete("offset");
    if (Number.isSafeInteger(offset) && offset > 0) clean.searchParams.set("offset", String(offset));
  }
  return clean.search === call.url.search ? undefined : seeOther(call, `${clean.pathname}${clean.search}`);
}

/**
 * Returns the filter for the text in the field of a filter by id: the id of a suggestion (`tenant_id=Acme (#3)`), or the
 * filter by name for other text (`device_id=web-01` is `device=web-01`); without one, the id of the object with the name.
 */
async function byIdOrName(
  call: Call,
  resource: Resource,
  [name, value]: [name: string, value: string],
): Promise<[name: string, value: string]> {
  const found = filterTarget(call, resource, name);
  if (found?.by !== "id" || /^(\d+|null)$/.test(value)) return [name, value];
  const targets = [found.target];
  const byName = name.replace(/_id$/, "");
  const isNamed = byName !== name && byName in resource.map.fields;
  const isChosen = parseReference(targets, value) !== undefined;
  const [reading] = isChosen || !isNamed ? await readReferences(call, targets, [value]) : [];
  if (reading !== undefined && "id" in reading) return [name, reading.id];
  return isNamed ? [byName, value] : [name, value];
}

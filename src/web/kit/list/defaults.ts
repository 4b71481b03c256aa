/** Defaults of a list whose URL has no parameters, and the selection of all its objects. */

import { numberText } from "../../../base/amounts.ts";
import { invalid } from "../../../base/errors.ts";
import { MAX_BULK_OBJECTS } from "../../../base/limits.ts";
import { listObjects, parseListQuery, type Resource } from "../../../resource/mod.ts";
import type { Call } from "../../call.ts";
import { idsOf } from "../../forms.ts";
import { listPath } from "../../paths.ts";
import { withQuery } from "../components/mod.ts";
import { ownPath } from "../../responses.ts";
import { PAGE_PARAMETERS } from "./read_list.ts";
import type { View } from "../view.ts";
import { pluralOf } from "../../type_label.ts";

/** The parameter with which a list also shows objects that it leaves out by default. */
export const SCOPE = "scope";
/** Parameters with which a list opened from the menu still shows its first tab. */
const NO_CHOICE = ["limit", "offset", "ordering", "columns", SCOPE];

/** Adds default parameters to those of a list. */
export type Defaults = (params: URLSearchParams) => void;

/** Returns the URL with the filters of the first tab, if the list opens with it and nothing else is chosen. */
export function withFirstTab({ tabs }: View, given: URL): URL {
  const [first] = tabs?.parts ?? [];
  if (!tabs?.first || first === undefined) return given;
  if ([...given.searchParams.keys()].some((name) => !NO_CHOICE.includes(name))) return given;
  // Without the filters of the tab, the URL selects everything.
  return new URL(withQuery(given, { ...first[1], show: "all" }), given);
}

/** Returns whether a URL shows the first tab without further filters. */
export function isFirstTab(view: View, url: URL): boolean {
  const params = new URLSearchParams(url.search);
  const opened = withFirstTab(view, new URL(url.pathname, url)).searchParams;
  for (const name of NO_CHOICE) params.delete(name);
  return view.tabs?.first === true && String(params) === String(opened);
}

/** Returns the path of the list without any filter. */
export function unfilteredPath({ resource, tabs, scope }: View): string {
  const all = [...tabs?.first ? ["show=all"] : [], ...scope?.label === undefined ? [] : [`${SCOPE}=all`]];
  return [listPath(resource), all.join("&")].filter(Boolean).join("?");
}

/** Returns a function that adds the order and the scope of a view. */
export function defaultsOf({ ordering, scope }: Pick<View, "ordering" | "scope">): Defaults {
  return (params) => {
    // Cursor paging has its own order.
    if (ordering !== undefined && !params.has("ordering") && !params.has("start")) {
      params.set("ordering", typeof ordering === "string" ? ordering : ordering(params));
    }
    if (!params.has(SCOPE)) scope?.add(params);
  };
}

/** Returns the path of the list from which a form came, with its filters, order and page. */
export function backOf({ form }: Call, resource: Resource): string {
  const given = ownPath(form.get("back"));
  return given.startsWith(listPath(resource)) ? given : listPath(resource);
}

/** Returns the ids of the selected rows, or of all rows of the list that the form names. Errors: invalid for too many. */
export async function selectedIds(
  call: Call,
  view: Pick<View, "resource" | "ordering" | "scope">,
): Promise<readonly number[]> {
  const { resource } = view;
  if (!call.form.has("all")) return idsOf(call.form, "ids");
  const params = new URL(backOf(call, resource), call.url).searchParams;
  defaultsOf(view)(params);
  for (const name of [...PAGE_PARAMETERS, "limit", "offset"]) params.delete(name);
  params.set("limit", String(MAX_BULK_OBJECTS));
  const query = parseListQuery(call.ctx, { resource, params });
  const { results, count } = await listObjects({
    ctx: call.ctx,
    resource,
    query: { ...query, selection: { ...query.selection, fields: ["id"] } },
  });
  if ((count ?? 0) > results.length) {
    const [all, most] = [count ?? 0, MAX_BULK_OBJECTS].map((one) => numberText(one));
    throw invalid({
      all: [`The list has ${all} ${pluralOf(resource)}. An action takes at most ${most}.`],
    });
  }
  return results.map(({ id }) => id);
}

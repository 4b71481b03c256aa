/** View of saved views: after one is saved, its list is shown. */

import { resourceOf } from "../../domain/registry.ts";
import { LISTED_TYPES, savedViews } from "../../domain/saved_views/mod.ts";
import { type ApiObject, type View, viewPath } from "../objects/mod.ts";
import { done } from "../responses.ts";
import { typeLabel } from "../type_label.ts";

/** The list that a view shows. */
function pathOf({ object_type, query }: ApiObject): string {
  const objectType = String(object_type);
  return viewPath({ objectType }, { query: String(query) });
}

export const savedView: View = {
  resource: savedViews,
  columns: ["object_type", "shared", "user", "last_updated"],
  filters: ["object_type", "shared", "user_id"],
  form: ["name", "shared", "object_type", "query"],
  pickers: {
    query: { map: (_call, { object_type: type }) => resourceOf(String(type))?.map, notation: "query" },
  },
  options: {
    object_type: () => LISTED_TYPES.map((type) => [type, typeLabel(type)] as const),
  },
  help: { query: "The filters and the order of the list, as in its address.", object_type: "" },
  empty: 'No saved views yet. Filter and order any list, then choose "Views" and "Save this view".',
  related: (view) => [["Open the list", pathOf(view)]],
  created: (call, view) => done(call, pathOf(view), "View saved."),
};

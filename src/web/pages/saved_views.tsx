/** View of saved views: after one is saved, its list is shown. */

import { resourceOf } from "../../domain/registry.ts";
import { LISTED_TYPES, type SavedView, savedViews } from "../../domain/saved_views/mod.ts";
import { certificates } from "../../domain/certificates/mod.ts";
import { columnLabels, withDefaults } from "./certificates/mod.ts";
import {
  defineView,
  StoredFilters,
  storedFilterSection,
  viewPath,
  viewRoutes,
  withFiltersInWords,
} from "../kit/mod.ts";
import type { Resource } from "../../resource/mod.ts";
import { done } from "../responses.ts";
import { typeLabel } from "../type_label.ts";
import type { Route } from "../call.ts";

/** Returns the path of the list of a view. */
function pathOf({ object_type, query }: Pick<SavedView, "object_type" | "query">): string {
  return viewPath({ objectType: object_type }, { query });
}

function queryOf({ object_type: type, query }: SavedView): { resource: Resource | undefined; query: string } {
  return { resource: resourceOf(type), query };
}

/** Returns what the list of a type adds to the query of a view. */
function defaultsOfType(type: unknown): typeof withDefaults | undefined {
  return type === certificates.objectType ? withDefaults : undefined;
}

const savedView = defineView<SavedView>({
  resource: savedViews,
  columns: [
    "object_type",
    { name: "query", label: "Filters", needs: ["object_type"], cell: (row) => <StoredFilters row={row} /> },
    "shared",
    "user",
    "last_updated",
  ],
  withMore: (call, rows) => withFiltersInWords(call, rows, queryOf),
  filters: ["object_type", "shared", "user_id"],
  form: {
    fields: ["name", "shared", "object_type", "query"],
  },
  fields: {
    query: {
      picker: {
        map: (_call, { object_type: type }) => resourceOf(String(type))?.map,
        notation: "query",
        list: ({ object_type: type }) => resourceOf(String(type)),
        withDefaults: ({ object_type: type }) => defaultsOfType(type),
        columnLabels: (call, { object_type: type }) =>
          type === certificates.objectType ? columnLabels(call) : undefined,
        also: ["object_type"],
      },
      help: "The filters and the order of the list, as in its address.",
    },
    object_type: { choices: () => LISTED_TYPES.map((type) => [type, typeLabel(type)] as const), help: "" },
  },
  empty: 'No saved views yet. Filter and order any list, then save it in its menu "Views".',
  detail: (call, view) => ({
    lead: storedFilterSection(call, {
      ...queryOf(view),
      path: pathOf(view),
      withDefaults: defaultsOfType(view.object_type),
    }),
    without: ["query"],
  }),
  create: (call) => ({ created: (view) => done(call, pathOf(view), "View saved.") }),
});

export const savedViewRoutes: readonly Route[] = viewRoutes(savedView);

/** Pages of any resource, made from its definition: list, object, form, deletion. */

import { type Call, ID, type Route } from "../call.ts";
import { listPath } from "../paths.ts";
import { detailPage } from "./detail.tsx";
import { changeFromForm, createFromForm, editPage, newPage } from "./edit.tsx";
import { withoutFields } from "./locked_fields.tsx";
import { listPage } from "./list_page.tsx";
import type { Defaults } from "./list_defaults.ts";
import { editableMany, editSelected, undoEdit } from "./bulk_edit.tsx";
import { deleteOne, deletePage, deleteSelected } from "./delete.tsx";
import { LIST_PREFERENCES_PATH, saveListForm } from "./column_menu.tsx";
import { suggest } from "./suggest.ts";
import type { View } from "./view.ts";

export { durationText } from "./durations.ts";
export { views } from "./standard_views.ts";
export { choicesFor } from "./choices.ts";
export { FIND } from "./form_choices.ts";
export { namedTarget, targetControl, unknownTarget } from "./target_control.tsx";
export { customColumns, MAX_COLUMNS, requestedColumns } from "./column_menu.tsx";
export { NotSet, ObjectActions, Timestamps } from "./detail.tsx";
export { activeFilters, FilterChips } from "./filter_chips.tsx";
export { postedReference, referenceControl } from "./reference_control.tsx";
export { lastMessageColumn, latestMessages, withLastMessages } from "./latest_messages.tsx";
export { conditionsText } from "./conditions_text.ts";
export { type Filter, FilterForm, loadFilters } from "./filter_form.tsx";
export { labelsOfFilters } from "./filter_words.ts";
export { StoredFilters, storedFilterSection, withFiltersInWords } from "./stored_filter.tsx";
export { ActionBadge, actionText, changedParts, ChangedValues, historySection } from "./history.tsx";
export { changedFields, type Snapshots } from "./change_sentences.tsx";
export { noMatchText } from "./no_rows.tsx";
export { referenceText, referenceTexts } from "./target_text.ts";
export { genericsOf } from "./generic_reference.ts";
export {
  isNothing,
  loadRelatedNames,
  nameIn,
  type RecordedTarget,
  recordedValue,
  type RelatedNames,
  withTargets,
} from "./recorded_value.tsx";
export {
  type Chosen,
  cleanUrl,
  countRows,
  type Listing,
  PAGE_PARAMETERS,
  type Params,
  readColumns,
  readListing,
  readRows,
  redirectToClean,
  searchOf,
} from "./read_list.ts";
export { PICK } from "./filter_picker.tsx";
export { type FormPreset, PresetLinks } from "./preset_links.tsx";
export { ObjectLink, ObjectLinks, Text, valueOf } from "./value.tsx";
export { expiryIn, issuerName, shortName, withoutExpiry } from "./short_name.ts";
export {
  type AddedColumn,
  defineView,
  type Fact,
  type FilterPicker,
  type FormPreview,
  type FormState,
  type Proposals,
  type View,
} from "./view.ts";
export { CustomProperties, CustomSections, NoteSections } from "./notes.tsx";
export { Sentence } from "./cell.tsx";
export { certificatesById } from "./certificates_by_id.ts";
export { ObjectNames } from "./object_names.tsx";
export { backOf, selectedIds } from "./list_defaults.ts";
export { ListMenus } from "./list_menus.tsx";
export { listTitle, loadViews, viewPath } from "./view_menu.tsx";
export { PrintedPart, PrintNote } from "./print_note.tsx";
export { BULK, SelectionBar } from "./selection_bar.tsx";
export { CountedKinds, preventing } from "./deletion_effects.tsx";
export { OneTimeSecret } from "./one_time_secret.tsx";
export { createFromForm, newPage };
export {
  may,
  mayActOn,
  type PermittedActions,
  permittedActionsOn,
  permittedAmong,
} from "./permitted_actions.ts";

type Page = (call: Call, view: View) => Response | Promise<Response>;

/** Returns the pages of a view for the methods of its resource; `own` replaces some of them. */
export function viewRoutes(
  view: View,
  own: { list?: Page; detail?: Page; withDefaults?: Defaults } = {},
): Route[] {
  const { collection, item } = view.resource.methods;
  const base = listPath(view.resource);
  const ofNew = withoutFields(view, view.onlyExisting ?? []);
  const route = (method: Route["method"], path: string, page: Page): Route => ({
    method,
    path: `${base}${path}`,
    handle: (call) => page(call, view),
  });
  return [
    route("GET", "", own.list ?? listPage),
    ...(collection.includes("POST")
      ? [
        route("GET", "new/", (call) => newPage(call, ofNew)),
        route("POST", "new/", (call) => createFromForm(call, ofNew)),
      ]
      : []),
    ...(collection.includes("DELETE")
      ? [route("POST", "delete/", (call) => deleteSelected(call, view, own.withDefaults))]
      : []),
    ...(editableMany(view)
      ? [
        route("POST", "bulk-edit/", (call) => editSelected(call, view, own.withDefaults)),
        route("POST", "undo-edit/", undoEdit),
      ]
      : []),
    route("GET", `${ID}/`, own.detail ?? detailPage),
    ...(item.includes("PUT")
      ? [route("GET", `${ID}/edit/`, editPage), route("POST", `${ID}/edit/`, changeFromForm)]
      : []),
    ...(item.includes("DELETE")
      ? [route("GET", `${ID}/delete/`, deletePage), route("POST", `${ID}/delete/`, deleteOne)]
      : []),
  ];
}

/** Routes that pages made from definitions share: suggestions, and the preferences of lists. */
export const objectRoutes: readonly Route[] = [
  { method: "GET", path: "/suggest/:name/", handle: suggest },
  { method: "POST", path: LIST_PREFERENCES_PATH, handle: saveListForm },
];

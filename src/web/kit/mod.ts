/** Pages of any resource, made from its definition: list, object, form, deletion. */

import { type Call, ID, type Route } from "../call.ts";
import { listPath } from "../paths.ts";
import { detailPage } from "./detail/detail.tsx";
import { changeFromForm, createFromForm, editPage, newPage } from "./form/edit.tsx";
import { listPage } from "./list/list_page.tsx";
import { editableMany, editSelected, undoEdit } from "./list/bulk_edit.tsx";
import { deleteOne, deletePage, deleteSelected } from "./detail/delete.tsx";
import { LIST_PREFERENCES_PATH, saveListForm } from "./list/menus.tsx";
import type { View } from "./view.ts";
import { suggest } from "./reference/choices.ts";

export { durationText } from "./form/field_input.tsx";
export { choicesFor, FIND, loadReference } from "./reference/choices.ts";
export { listPage };
export { SelectionBar } from "./list/selection_bar.tsx";
export { NotSet, ObjectActions, Timestamps } from "./detail/detail.tsx";
export { postedReference, readReferences } from "./reference/read_references.ts";
export { Reference, referenceControl } from "./reference/reference.tsx";
export { parseReference } from "./reference/reference_text.ts";
export { latestMessages } from "./list/latest_messages.tsx";
export {
  conditionsText,
  StoredFilters,
  storedFilterSection,
  withFiltersInWords,
} from "./filters/filter_words.tsx";
export {
  activeFilters,
  cleanListUrl,
  FilterChips,
  FilterForm,
  labelsOfFilters,
  loadFilters,
} from "./filters/filter_form.tsx";
export { ActionBadge, actionText, changedParts, historySection } from "./history/history.tsx";
export { CONNECTED, connectedNames, recordedName } from "./history/recorded_name.ts";
export { changedFields, type Snapshots } from "./history/change_sentences.tsx";
export { genericsOf, withJoinedErrors } from "./reference/reference_text.ts";
export {
  isNothing,
  loadRelatedNames,
  nameIn,
  recordedValue,
  type RelatedNames,
  withTargets,
} from "./history/recorded_value.tsx";
export {
  type Chosen,
  cleanUrl,
  countRows,
  listedParams,
  type Listing,
  type Params,
  readColumns,
  readRows,
  searchOf,
} from "./list/read_list.ts";
export { PICK } from "./filters/filter_rows.ts";
export { type FormPreset, PresetLinks } from "./form/actions.tsx";
export { MailLink, ObjectLink, ObjectLinks, Text, valueOf } from "./detail/value.tsx";
export { expiryIn, issuerName, shortName, withoutExpiry } from "./reference/reference_text.ts";
export {
  type ColumnOf,
  defineView,
  type Fact,
  type Fieldset,
  type FilterPicker,
  type FormPreview,
  type FormState,
  type Proposals,
  type View,
} from "./view.ts";
export { CustomProperties, CustomSections, NoteSections } from "./detail/notes.tsx";
export { certificatesById } from "./reference/choices.ts";
export { ObjectNames } from "./detail/value.tsx";
export { backOf, defaultsOf, selectedIds } from "./list/tabs.tsx";
export { allColumns, nameColumn } from "./list/columns.tsx";
export { viewPath } from "./list/menus.tsx";
export { OneTimeSecret } from "./form/actions.tsx";
export { formPage, MoreMenu, objectButton, orAgain, PostButton } from "./form/form_page.tsx";
export { may, mayActOn, type PermittedActions, permittedAmong } from "./detail/permitted_actions.ts";

type Page = (call: Call, view: View) => Response | Promise<Response>;

/** Returns the pages of a view for the methods of its resource; `own` replaces some of them. */
export function viewRoutes(
  view: View,
  own: { list?: Page; detail?: Page } = {},
): Route[] {
  const { collection, item } = view.resource.methods;
  const base = listPath(view.resource);
  const route = (method: Route["method"], path: string, page: Page): Route => ({
    method,
    path: `${base}${path}`,
    handle: (call) => page(call, view),
  });
  return [
    route("GET", "", own.list ?? listPage),
    ...(collection.includes("POST")
      ? [
        route("GET", "new/", newPage),
        route("POST", "new/", createFromForm),
      ]
      : []),
    ...(collection.includes("DELETE")
      ? [route("POST", "delete/", (call) => deleteSelected(call, view))]
      : []),
    ...(editableMany(view)
      ? [
        route("POST", "bulk-edit/", (call) => editSelected(call, view)),
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

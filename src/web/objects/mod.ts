/** Pages of any resource, made from its definition: list, object, form, deletion. */

import { type Call, ID, type Route } from "../call.ts";
import { listPath } from "../paths.ts";
import { detailPage } from "./detail.tsx";
import { changeFromForm, createFromForm, editPage, newPage } from "./edit.tsx";
import { listPage } from "./list.tsx";
import { deleteChosen, deleteOne, deletePage } from "./remove.tsx";
import { suggest } from "./suggest.ts";
import type { View } from "./view.ts";
import { views } from "./views.ts";

export { choicesFor } from "./choices.ts";
export { ObjectActions } from "./detail.tsx";
export { type Filter, FilterForm, loadFilters } from "./filter_form.tsx";
export { changedFields, historySection } from "./history.tsx";
export { cleanUrl, type Listing, readListing, readRows } from "./listing.ts";
export { BriefLink, Text, valueOf } from "./value.tsx";
export { nameOf, type Shown, type View } from "./view.ts";
export { OnceShown } from "./once_shown.tsx";
export { may, mayOn, type Permitted, permittedOn } from "./permitted.ts";

type Page = (call: Call, view: View) => Response | Promise<Response>;

/** The pages of one view, as far as its resource has the methods; `own` replaces some of them. */
export function viewRoutes(view: View, own: { list?: Page; detail?: Page } = {}): Route[] {
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
      ? [route("GET", "new/", newPage), route("POST", "new/", createFromForm)]
      : []),
    ...(collection.includes("DELETE") ? [route("POST", "delete/", deleteChosen)] : []),
    route("GET", `${ID}/`, own.detail ?? detailPage),
    ...(item.includes("PUT")
      ? [route("GET", `${ID}/edit/`, editPage), route("POST", `${ID}/edit/`, changeFromForm)]
      : []),
    ...(item.includes("DELETE")
      ? [route("GET", `${ID}/delete/`, deletePage), route("POST", `${ID}/delete/`, deleteOne)]
      : []),
  ];
}

/** All pages that are made so. */
export const objectRoutes: readonly Route[] = [
  ...views.flatMap((view) => viewRoutes(view)),
  { method: "GET", path: "/suggest/:name/", handle: suggest },
];

/** The global search: a page, and the results for the dialog that a script opens on every page. */

import type { Route } from "../../call.ts";
import { searchPage, searchResults } from "./search.tsx";

export const searchRoutes: readonly Route[] = [
  { method: "GET", path: "/search/", handle: searchPage },
  { method: "GET", path: "/search/results/", handle: searchResults },
];

/** The pages of the change log. */

import type { Route } from "../../call.ts";
import { viewRoutes } from "../../kit/mod.ts";
import { changePage } from "./change_page.tsx";
import { changeList, changeView } from "./view.tsx";

export const changeRoutes: readonly Route[] = viewRoutes(changeView, {
  list: changeList,
  detail: changePage,
});

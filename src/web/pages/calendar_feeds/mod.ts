/** The pages of calendar feeds. */

import type { Route } from "../../call.ts";
import { viewRoutes } from "../../kit/mod.ts";
import { calendarView } from "./view.tsx";

export const calendarRoutes: readonly Route[] = viewRoutes(calendarView);

/** The first page: the inventory at a glance. */

import type { Route } from "../call.ts";
import { dashboard } from "./dashboard.tsx";

export { TrendChart } from "./trend_chart.tsx";

/** The page. */
export const dashboardRoutes: readonly Route[] = [{ method: "GET", path: "/", handle: dashboard }];

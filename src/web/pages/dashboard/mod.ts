/** The dashboard page. */

import type { Route } from "../../call.ts";
import { dashboard } from "./dashboard.tsx";

export { TrendChart } from "./trend_chart.tsx";

export const dashboardRoutes: readonly Route[] = [{ method: "GET", path: "/", handle: dashboard }];

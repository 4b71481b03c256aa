/** The table of all pages. */

import { accountPublicRoutes, accountRoutes } from "./pages/account/mod.ts";
import type { PublicRoute, Route } from "./call.ts";
import { calendarRoutes } from "./pages/calendar_feeds.tsx";
import { certificateRoutes } from "./pages/certificates/mod.ts";
import { changeRoutes } from "./pages/changes/change_page.tsx";
import { complianceRoutes } from "./pages/compliance/mod.ts";
import { endpointRoutes } from "./pages/endpoints/list.tsx";
import { forecastRoutes } from "./pages/forecast.tsx";
import { importRoutes, MOVED } from "./pages/imports/mod.ts";
import { dashboardRoutes } from "./pages/dashboard/dashboard.tsx";
import { incidentRoutes } from "./pages/incidents/mod.ts";
import { inventoryRoutes } from "./pages/inventory/pages.tsx";
import { noticePublicRoutes, noticeRoutes } from "./pages/notices/mod.ts";
import { objectRoutes } from "./kit/mod.ts";
import { permissionRoutes } from "./pages/permissions/view.tsx";
import { savedViewRoutes } from "./pages/saved_views.tsx";
import { searchRoutes } from "./pages/search/search.tsx";
import { signingRequestRoutes } from "./pages/signing_requests/mod.ts";
import { webhookRoutes } from "./pages/webhooks/deliveries.tsx";

/** The pages of signed-in users, and the actions of their forms. */
export const routes: readonly Route[] = [
  ...dashboardRoutes,
  ...forecastRoutes,
  ...searchRoutes,
  ...accountRoutes,
  ...certificateRoutes,
  ...importRoutes,
  ...inventoryRoutes,
  ...objectRoutes,
  ...signingRequestRoutes,
  ...incidentRoutes,
  ...complianceRoutes,
  ...webhookRoutes,
  ...permissionRoutes,
  ...changeRoutes,
  ...calendarRoutes,
  ...savedViewRoutes,
  ...endpointRoutes,
  ...noticeRoutes,
];

/** Former paths of pages, and their current ones. */
export const movedPaths: Readonly<Record<string, string>> = { ...MOVED };

/** Pages without sign-in. */
export const publicRoutes: readonly PublicRoute[] = [...accountPublicRoutes, ...noticePublicRoutes];

/** The table of all pages. */

import { accountPublicRoutes, accountRoutes } from "./pages/account/mod.ts";
import type { PublicRoute, Route } from "./call.ts";
import { calendarRoutes } from "./pages/calendar_feeds/mod.ts";
import { certificateRoutes } from "./pages/certificates/mod.ts";
import { changeRoutes } from "./pages/changes/mod.ts";
import { complianceRoutes } from "./pages/compliance/mod.ts";
import { endpointRoutes } from "./pages/endpoints/mod.ts";
import { importRoutes, MOVED } from "./pages/imports/mod.ts";
import { dashboardRoutes } from "./pages/dashboard/mod.ts";
import { inventoryRoutes } from "./pages/inventory/mod.ts";
import { noticePublicRoutes, noticeRoutes } from "./pages/notices/mod.ts";
import { objectRoutes } from "./kit/mod.ts";
import { permissionRoutes } from "./pages/permissions/mod.ts";
import { savedViewRoutes } from "./pages/saved_views/mod.ts";
import { searchRoutes } from "./pages/search/mod.ts";
import { signingRequestRoutes } from "./pages/signing_requests/mod.ts";
import { webhookRoutes } from "./pages/webhooks/mod.ts";

/** The pages of signed-in users, and the actions of their forms. */
export const routes: readonly Route[] = [
  ...dashboardRoutes,
  ...searchRoutes,
  ...accountRoutes,
  ...certificateRoutes,
  ...importRoutes,
  ...inventoryRoutes,
  ...objectRoutes,
  ...signingRequestRoutes,
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

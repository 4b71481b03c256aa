/** The table of all pages. */

import { accountPublicRoutes, accountRoutes } from "./account/mod.ts";
import type { PublicRoute, Route } from "./call.ts";
import { calendarRoutes } from "./calendar_feeds/mod.ts";
import { certificateRoutes } from "./certificates/mod.ts";
import { changeRoutes } from "./changes/mod.ts";
import { complianceRoutes } from "./compliance/mod.ts";
import { endpointRoutes } from "./endpoints/mod.ts";
import { importRoutes, MOVED } from "./imports/mod.ts";
import { dashboardRoutes } from "./dashboard/mod.ts";
import { inventoryRoutes } from "./inventory/mod.ts";
import { noticePublicRoutes, noticeRoutes } from "./notices/mod.ts";
import { objectRoutes } from "./objects/mod.ts";
import { permissionRoutes } from "./permissions/mod.ts";
import { savedViewRoutes } from "./saved_views/mod.ts";
import { searchRoutes } from "./search/mod.ts";
import { signingRequestRoutes } from "./signing_requests/mod.ts";
import { webhookRoutes } from "./webhooks/mod.ts";

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

/** Every page. */

import { accountRoutes } from "./account/mod.ts";
import type { Route } from "./call.ts";
import { calendarRoutes } from "./calendar_feeds/mod.ts";
import { certificateRoutes } from "./certificates/mod.ts";
import { changeRoutes } from "./changes/mod.ts";
import { complianceRoutes } from "./compliance/mod.ts";
import { importRoutes } from "./imports/mod.ts";
import { dashboardRoutes } from "./dashboard/mod.ts";
import { objectRoutes } from "./objects/mod.ts";
import { permissionRoutes } from "./permissions/mod.ts";
import { webhookRoutes } from "./webhooks/mod.ts";

/** The pages of signed-in users, and the actions of their forms. */
export const routes: readonly Route[] = [
  ...dashboardRoutes,
  ...accountRoutes,
  ...certificateRoutes,
  ...importRoutes,
  ...objectRoutes,
  ...complianceRoutes,
  ...webhookRoutes,
  ...permissionRoutes,
  ...changeRoutes,
  ...calendarRoutes,
];

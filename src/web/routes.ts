/** Every page there is. */

import { accountRoutes } from "./account/mod.ts";
import type { Route } from "./call.ts";
import { certificateRoutes } from "./certificates/mod.ts";
import { objectRoutes } from "./objects/mod.ts";

/** The pages of signed-in users, and what their forms do. */
export const routes: readonly Route[] = [
  ...accountRoutes,
  ...certificateRoutes,
  ...objectRoutes,
];

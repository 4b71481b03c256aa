/** The pages of saved views. */

import type { Route } from "../../call.ts";
import { viewRoutes } from "../../kit/mod.ts";
import { savedView } from "./view.tsx";

export const savedViewRoutes: readonly Route[] = viewRoutes(savedView);

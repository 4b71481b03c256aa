/** The pages of permissions. */

import type { Route } from "../../call.ts";
import { viewRoutes } from "../../kit/mod.ts";
import { applyPreset, PRESET_PATH } from "./presets.tsx";
import { permissionView } from "./view.tsx";

export const permissionRoutes: readonly Route[] = [
  ...viewRoutes(permissionView),
  { method: "POST", path: PRESET_PATH, handle: applyPreset },
];

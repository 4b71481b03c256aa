/** How the change log is listed. */

import { OBJECT_TYPES } from "../../auth/mod.ts";
import { objectChanges } from "../../domain/system/object_changes/mod.ts";
import type { View } from "../objects/mod.ts";
import { typeLabel } from "../type_label.ts";

/** The view. The page of one change is particular. */
export const changeView: View = {
  resource: objectChanges,
  heading: "Change log",
  columns: ["action", "time", "object_type", "username"],
  filters: ["action", "object_type", "user_id", "time__gte", "time__lt"],
  options: { object_type: () => OBJECT_TYPES.map((type) => [type, typeLabel(type)] as const) },
  title: { needs: ["object_repr"], of: ({ object_repr: name }) => String(name) },
  empty: "No changes yet.",
};

/** View of the change log. */

import { OBJECT_TYPES } from "../../auth/mod.ts";
import { objectChanges } from "../../domain/system/object_changes/mod.ts";
import type { View } from "../objects/mod.ts";
import { typeLabel } from "../type_label.ts";

/** The page of one change is a separate module. */
export const changeView: View = {
  resource: objectChanges,
  heading: "Change log",
  nameLabel: "Object",
  columns: ["action", "time", "changed_object_type", "user_name"],
  filters: ["action", "changed_object_type", "user_id", "time__gte", "time__lt"],
  options: { changed_object_type: () => OBJECT_TYPES.map((type) => [type, typeLabel(type)] as const) },
  title: { needs: ["object_repr"], of: ({ object_repr: name }) => String(name) },
  empty: "No changes yet.",
};

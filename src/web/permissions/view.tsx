/** View of permissions. */

import { actionsOn, OBJECT_TYPES } from "../../auth/mod.ts";
import { permissions } from "../../domain/accounts/permissions/mod.ts";
import type { SelectOption } from "../components/mod.ts";
import { capitalized } from "../messages.ts";
import type { View } from "../objects/mod.ts";
import { typeOptions } from "../type_label.ts";
import { presetForms } from "./presets.tsx";
import { ConstraintHelp } from "./constraint_help.tsx";

/** The form shows help and errors of constraints while they are typed. */
export const permissionView: View = {
  resource: permissions,
  columns: ["enabled", "object_types", "actions", "users", "groups"],
  filters: ["enabled", "object_types", "actions", "users_id", "groups_id"],
  options: { object_types: () => typeOptions(OBJECT_TYPES), actions: actionOptions },
  help: {
    object_types: "",
    actions: "",
    constraints: "Leave empty for all objects. See the examples below.",
  },
  fieldsets: [
    { title: "Permission", fields: ["name", "description", "enabled"] },
    { title: "Who", fields: ["users", "groups"] },
    { title: "What", fields: ["actions", "object_types", "constraints"] },
  ],
  beforeNew: presetForms,
  notes: { constraints: (call) => <ConstraintHelp call={call} /> },
  empty:
    "No permissions yet. A permission allows users and groups to perform actions on one or more object types.",
};

function actionOptions(): SelectOption[] {
  const actions = new Set(OBJECT_TYPES.flatMap((type) => actionsOn(type)));
  return [...actions].map((action) => [action, capitalized(action.replaceAll("_", " "))] as const);
}

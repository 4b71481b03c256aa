/** View of permissions. */

import { actionsOn, isObjectType, OBJECT_TYPES } from "../../../auth/mod.ts";
import { type Permission, permissions } from "../../../domain/accounts/permissions/mod.ts";
import type { SelectOption } from "../../kit/components/mod.ts";
import { capitalized } from "../../messages.ts";
import { conditionsText, type View } from "../../kit/mod.ts";
import { actionWords } from "../../permission_words.ts";
import { typeOptions } from "../../type_label.ts";
import { presetForms } from "./presets.tsx";
import { PERMISSION_COLUMNS, permissionFacts } from "./words.tsx";
import { constraintHelp } from "./constraint_help.tsx";

/** The form shows help and errors of constraints while they are typed. */
export const permissionView: View<Permission> = {
  resource: permissions,
  columns: [...PERMISSION_COLUMNS, "enabled", "object_types", "users"],
  usual: ["groups", "actions", "constraints"],
  filters: ["enabled", "object_types", "actions", "users_id", "groups_id"],
  fields: {
    object_types: { choices: () => typeOptions(OBJECT_TYPES), help: "" },
    actions: { choices: actionOptions, help: "" },
    constraints: {
      help: 'JSON: {"tenant__slug": "acme"} means objects of the tenant acme.',
      text: conditionsText,
      picker: {
        map: ({ ctx }, { object_types: types = [] }) => {
          const [first = "certmgr.certificate"] = [types].flat();
          return isObjectType(first) ? ctx.mapOf(first) : undefined;
        },
        notation: "constraint",
        dependsOn: ["object_types"],
      },
      note: constraintHelp,
    },
  },
  detail: (_, permission) => ({
    facts: permissionFacts(permission),
    without: ["users", "groups", "actions", "constraints"],
  }),
  form: {
    sections: [
      { title: "Permission", fields: ["name", "description", "enabled"] },
      { title: "Who", fields: ["users", "groups"] },
      {
        title: "What",
        about: "Each of these actions on each of these types.",
        fields: ["actions", "object_types"],
      },
      {
        title: "Which objects",
        about: "Without constraints, the permission is about all objects of these types.",
        fields: ["constraints"],
      },
    ],
  },
  empty:
    "No permissions yet. A permission allows users and groups to perform actions on one or more object types.",
  create: (call) => ({ above: () => presetForms(call) }),
};

function actionOptions(): SelectOption[] {
  const actions = new Set(OBJECT_TYPES.flatMap((type) => actionsOn(type)));
  return [...actions].map((action) => [action, capitalized(actionWords(action))] as const);
}

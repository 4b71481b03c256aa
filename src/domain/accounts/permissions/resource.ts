/** Object permissions: actions on object types, granted to users and groups, for rows that constraints select. */

import { clearActorCache } from "../../../auth/mod.ts";
import { MAX_LINKS } from "../../../base/limits.ts";
import { object_permissions as table } from "../../../db/schema/mod.ts";
import {
  boolean,
  defineResource,
  elementFilter,
  type Field,
  id,
  many,
  type Resource,
  text,
  timestamps,
} from "../../../resource/mod.ts";
import { groups } from "../groups/mod.ts";
import { keepComparisons, users } from "../users/mod.ts";
import { constraintsField, namesField } from "./fields.ts";
import { preparePermissions } from "./prepare.ts";

/** `users.objectpermission`. */
export const permissions: Resource = defineResource({
  objectType: "users.objectpermission",
  path: "users/permissions",
  label: "permission",
  refusesUnknown: true,
  table,
  fields: [
    id(),
    text("name", { description: "Name.", required: true, max: 100 }),
    text("description", { description: "What it is for." }),
    boolean("enabled", { description: "Whether the permission is in effect.", fallback: true }),
    namesField("object_types", "Object types: `certmgr.certificate`, …"),
    namesField(
      "actions",
      "Allowed actions: `view`, `add`, `change`, `delete`, and further actions of a type (`import` or `import_certificate`).",
    ),
    constraintsField(),
    ...holderFields(),
    ...timestamps(),
  ],
  brief: ["name", "description", "enabled", "object_types", "actions"],
  searchFields: ["name", "description"],
  filters: { object_types: elementFilter(table, "object_types"), actions: elementFilter(table, "actions") },
  order: [{ field: "name", descending: false }],
  prepare: preparePermissions,
  afterStore: (step) => keepComparisons(step, { field: "constraints" }),
  afterCommit: (ctx) => clearActorCache(ctx.database),
});

function holderFields(): Field[] {
  const table = { own: "object_permission_id" };
  return [
    many("users", {
      description: "Users with this permission.",
      target: () => users,
      keys: ["username"],
      link: { ...table, table: "object_permission_users", other: "user_id" },
      max: MAX_LINKS,
    }),
    many("groups", {
      description: "Groups with this permission.",
      target: () => groups,
      keys: ["name"],
      link: { ...table, table: "object_permission_groups", other: "group_id" },
      max: MAX_LINKS,
    }),
  ];
}

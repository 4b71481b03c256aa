/** Object permissions: actions on object types, granted to users and groups, for rows that constraints select. */

import { clearActorCache } from "../../../auth/mod.ts";
import { MAX_LINKS } from "../../../base/limits.ts";
import { object_permissions as table } from "../../../db/schema/mod.ts";
import {
  boolean,
  defineResource,
  elementFilter,
  many,
  type Out,
  type Resource,
  text,
} from "../../../resource/mod.ts";
import { groups } from "../groups/resource.ts";
import { keepComparisons } from "../users/keep_comparisons.ts";
import { users } from "../users/resource.ts";
import { constraintsField, namesField, preparePermissions } from "./prepare.ts";

const HOLDERS = { own: "object_permission_id" };
const HOLDER_FIELDS = [
  many("users", {
    description: "Users with this permission.",
    target: (): Resource => users,
    keys: ["username"],
    link: { ...HOLDERS, table: "object_permission_users", other: "user_id" },
    max: MAX_LINKS,
  }),
  many("groups", {
    description: "Groups with this permission.",
    target: (): Resource => groups,
    keys: ["name"],
    link: { ...HOLDERS, table: "object_permission_groups", other: "group_id" },
    max: MAX_LINKS,
  }),
];

export const permissions = defineResource({
  objectType: "users.objectpermission",
  path: "users/permissions",
  label: "permission",
  written: { knownOnly: true },
  table,
  fields: [
    text("name", { description: "Name.", required: true, max: 100 }),
    text("description", { description: "What it is for." }),
    boolean("enabled", { description: "Whether the permission is in effect.", fallback: true }),
    namesField("object_types", "Object types: `certmgr.certificate`, …"),
    namesField(
      "actions",
      "Allowed actions: `view`, `add`, `change`, `delete`, and further actions of a type (`import` or `import_certificate`).",
    ),
    constraintsField(),
    ...HOLDER_FIELDS,
  ],
  brief: ["name", "description", "enabled", "object_types", "actions"],
  search: { fields: ["name", "description"] },
  filters: { object_types: elementFilter(table, "object_types"), actions: elementFilter(table, "actions") },
  order: [{ field: "name", descending: false }],
  hooks: {
    prepare: preparePermissions,
    afterStore: (step) => keepComparisons(step, { field: "constraints" }),
    afterCommit: (ctx) => clearActorCache(ctx.database),
  },
});

export type Permission = Out<typeof permissions>;

/** Groups: users that are granted the same. Who is in a group is written on the user. */

import { sql } from "drizzle-orm";
import { z } from "zod";
import { clearActorCache, restrictionSql, visible } from "../../../auth/mod.ts";
import { groups as table } from "../../../db/schema/mod.ts";
import { isNothing } from "../../../filters/mod.ts";
import {
  columnOf,
  defineResource,
  expression,
  type Field,
  id,
  type Resource,
  text,
  timestamps,
} from "../../../resource/mod.ts";
import { recordedLinks } from "./recorded_links.ts";

const USER = "users.user";

/** `users.group`. */
export const groups: Resource = defineResource({
  objectType: "users.group",
  path: "users/groups",
  label: "group",
  table,
  fields: [
    id(),
    text("name", { description: "Name; unique.", required: true, max: 150 }),
    text("description", { description: "Who is in it, and why." }),
    userCount(),
    recordedLinks("users", {
      description: "Its members.",
      link: { table: "user_groups", own: "group_id", other: "user_id" },
    }),
    recordedLinks("permissions", {
      description: "Object permissions that it holds.",
      link: { table: "object_permission_groups", own: "group_id", other: "object_permission_id" },
    }),
    ...timestamps(),
  ],
  brief: ["name", "description"],
  searchFields: ["name", "description"],
  order: [{ field: "name", descending: false }],
  unique: [{ columns: ["name"], field: "name", message: "group with this name already exists." }],
  afterCommit: (ctx) => clearActorCache(ctx.database),
});

function userCount(): Field {
  return expression("user_count", {
    description: "Members that the caller may see.",
    output: z.int(),
    sql: ({ alias, ctx }) => {
      const seen = visible(ctx, USER);
      if (isNothing(seen)) return sql`0`;
      const inner = `${alias}_users`;
      const restricted = restrictionSql(ctx, seen, USER, inner);
      // CROSS JOIN: members are found by the group's index, however few users SQLite takes there to be.
      return sql`(SELECT count(*) FROM user_groups CROSS JOIN users AS ${sql.identifier(inner)} ON ${
        columnOf(inner, "id")
      } = user_groups.user_id WHERE user_groups.group_id = ${columnOf(alias, "id")}${
        restricted === undefined ? sql`` : sql` AND ${restricted}`
      })`;
    },
  });
}

/** Groups: users with the same permissions. Membership is edited on the user. */

import { sql } from "drizzle-orm";
import { z } from "zod";
import { clearActorCache, restrictionSql, visible } from "../../../auth/mod.ts";
import { groups as table } from "../../../db/schema/mod.ts";
import { matchesNothing } from "../../../filters/mod.ts";
import {
  columnOf,
  defineResource,
  expression,
  type Field,
  id,
  text,
  timestamps,
} from "../../../resource/mod.ts";
import { recordedLinks } from "./recorded_links.ts";

const USER = "users.user";

/** `users.group`. */
export const groups = defineResource({
  objectType: "users.group",
  path: "users/groups",
  label: "group",
  table,
  fields: [
    id(),
    text("name", { description: "Name; unique.", required: true, max: 150 }),
    text("description", { description: "Purpose and members." }),
    userCount(),
    recordedLinks("users", {
      description: "Its members.",
      link: { table: "user_groups", own: "group_id", other: "user_id" },
    }),
    recordedLinks("permissions", {
      description: "Object permissions of the group.",
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

function userCount(): Field<"user_count", number> {
  return expression("user_count", {
    description: "Number of members that the caller may view.",
    output: z.int(),
    sql: ({ alias, ctx }) => {
      const users = ctx.mapOf(USER);
      const seen = visible(ctx, users);
      if (matchesNothing(seen)) return sql`0`;
      const inner = `${alias}_users`;
      const restricted = restrictionSql(ctx, seen, { map: users, alias: inner });
      // CROSS JOIN makes SQLite use the group's index, whatever it estimates about the number of users.
      return sql`(SELECT count(*) FROM user_groups CROSS JOIN users AS ${sql.identifier(inner)} ON ${
        columnOf(inner, "id")
      } = user_groups.user_id WHERE user_groups.group_id = ${columnOf(alias, "id")}${
        restricted === undefined ? sql`` : sql` AND ${restricted}`
      })`;
    },
  });
}

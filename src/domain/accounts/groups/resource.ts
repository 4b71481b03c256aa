/** Groups: users with the same permissions. Membership is edited on the user. */

import { sql } from "drizzle-orm";
import { z } from "zod";
import { clearActorCache, restrictionSql, visible } from "../../../auth/mod.ts";
import { groups as table } from "../../../db/schema/mod.ts";
import { matchesNothing } from "../../../filters/mod.ts";
import {
  choice,
  columnOf,
  defineResource,
  expression,
  type Field,
  parseNested,
  reference,
  type Resource,
  text,
} from "../../../resource/mod.ts";
import { tenants } from "../../inventory/mod.ts";

const USER = "users.user";

export const groups = defineResource({
  objectType: "users.group",
  path: "users/groups",
  label: "group",
  table,
  fields: [
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
  ],
  brief: ["name", "description"],
  search: { fields: ["name", "description"] },
  unique: ["name"],
  hooks: { afterCommit: (ctx) => clearActorCache(ctx.database) },
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

interface LinkTable {
  readonly table: string;
  /** Columns with the id of this resource, and of the other one. */
  readonly own: string;
  readonly other: string;
}

/**
 * Defines a field with the ids of linked objects, only for the change log. Such links are edited on the other
 * object. They are deleted with this object, and then only its last change record shows them.
 */
export function recordedLinks<const Name extends string>(
  name: Name,
  options: { description: string; link: LinkTable },
): Field<Name, number[]> {
  const { table, own, other } = options.link;
  const column = `${name}_ids`;
  const [tableName, ownName, otherName] = [table, own, other].map((one) => sql.identifier(one));
  return {
    name,
    description: options.description,
    required: false,
    readOnly: true,
    writeOnly: true,
    long: false,
    output: z.array(z.int()),
    needs: [],
    select: () => [],
    read: () => undefined,
    record: {
      read: (row) => parseNested(row[column]),
      select: ({ alias }) => [[
        column,
        // Sorted in a subquery, because a libSQL server ignores ORDER BY inside an aggregate.
        sql`(SELECT json_group_array(other) FROM (SELECT ${otherName} AS other FROM ${tableName} WHERE ${ownName} = ${
          columnOf(alias, "id")
        } ORDER BY 1))`,
      ]],
    },
    filters: {},
  };
}

/** What users may be given. `everything` makes a superuser, the others add to a group. */
export const ACCESSES = ["everything", "read_all", "read_tenant", "manage_tenant"] as const;

/** Fields that only give access, and that nothing returns. */
export function accessFields(): readonly [Field<"access">, Field<"access_tenant">] {
  const unstored = { select: () => [], columns: () => ({}), filters: {} };
  const target = (): Resource => tenants;
  const { record: _, ...tenant } = reference("access_tenant", {
    description: "The tenant of `read_tenant` and `manage_tenant`, by id, slug or name.",
    target,
    keys: ["slug", "name"],
    writeOnly: true,
    onDelete: "keep",
  });
  return [
    {
      ...choice("access", {
        description:
          "Usual access: `everything` makes a superuser; `read_all`, `read_tenant` and `manage_tenant` add the user to a " +
          "group with these permissions, which is created if it does not exist.",
        choices: ACCESSES,
        nullable: true,
        writeOnly: true,
      }),
      ...unstored,
    },
    { ...tenant, ...unstored, refers: { target } },
  ];
}

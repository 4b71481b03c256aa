/** Limits the comparisons in all permissions of a user together, because every request evaluates them. */

import { concerns, finding } from "../../../base/findings.ts";
import { inArray, type SQL, sql } from "drizzle-orm";
import {
  type Context,
  type Grant,
  grantedRows,
  isObjectType,
  MAX_ACTOR_COMPARISONS,
} from "../../../auth/mod.ts";
import { idsIn, select, type Transaction } from "../../../db/mod.ts";
import { object_permissions } from "../../../db/schema/mod.ts";
import { mapIn } from "../../../filters/mod.ts";
import { refuse, type WriteStep } from "../../../resource/mod.ts";

/** Minimum length of a comparison: a digit and a comma in a list of values. */
const MIN_COMPARISON_CHARS = 2;

interface Holders {
  readonly userIds: readonly number[];
  readonly permissionIds: readonly number[];
}

/**
 * Refuses stored drafts (users, or permissions) with which a user would have more than {@link
 * MAX_ACTOR_COMPARISONS} comparisons for an action on an object type. At most two statements.
 *
 * @param options `field` for the messages: `groups` for users, `constraints` for permissions.
 */
export async function keepComparisons(
  { ctx, tx, drafts }: WriteStep,
  { field }: { field: "groups" | "constraints" },
): Promise<void> {
  const ids = idsIn(drafts.map(({ id }) => id));
  const found = await holdersOf(
    tx,
    field === "groups" ? sql`SELECT id FROM users WHERE id IN ${ids}` : usersWith(ids),
  );
  if (found.length === 0) return;
  const grants = await grantsById(tx, [
    ...new Set(found.flatMap(({ permissionIds }) => permissionIds)),
  ]);
  for (const holders of found) {
    const excess = exceeded(
      ctx,
      holders.permissionIds.flatMap((id) => grants.get(id) ?? []),
    );
    if (excess === undefined) continue;
    // Without names, because the caller may grant to a group whose members they may not view.
    const { action, objectType: object_type } = excess;
    const found = finding("comparisons_in_all", { max: MAX_ACTOR_COMPARISONS, action, object_type });
    const concerned: readonly number[] = field === "groups" ? holders.userIds : holders.permissionIds;
    for (
      const draft of drafts.filter(({ id, errors }) => concerned.includes(id) && !concerns(errors, field))
    ) {
      refuse(draft, field, found);
    }
  }
}

/** Selects the users who have any of these permissions. */
function usersWith(permissionIds: SQL): SQL {
  return sql`SELECT user_id FROM object_permission_users WHERE object_permission_id IN ${permissionIds}
    UNION SELECT user_id FROM object_permission_groups JOIN user_groups USING (group_id)
      WHERE object_permission_id IN ${permissionIds}`;
}

/**
 * Returns the users among `affected` whose constraints are long enough to exceed the limit, grouped by equal
 * permissions.
 */
async function holdersOf(tx: Transaction, affected: SQL): Promise<Holders[]> {
  const rows = await tx.all<{ users: string; permissions: string }>(
    sql`WITH affected (id) AS (${affected}),
      held (user_id, permission_id) AS (
        SELECT user_id, object_permission_id FROM object_permission_users WHERE user_id IN (SELECT id FROM affected)
        UNION SELECT user_id, object_permission_id FROM user_groups JOIN object_permission_groups USING (group_id)
          WHERE user_id IN (SELECT id FROM affected)),
      sets (user_id, permissions) AS (
        SELECT user_id, json_group_array(permission_id) FROM (
          SELECT user_id, permission_id, constraints FROM held
          CROSS JOIN object_permissions ON object_permissions.id = permission_id
          CROSS JOIN users ON users.id = user_id
          WHERE object_permissions.enabled = 1 AND users.is_superuser = 0 ORDER BY 1, 2)
        GROUP BY user_id
        HAVING sum(length(coalesce(constraints, ''))) > ${MAX_ACTOR_COMPARISONS * MIN_COMPARISON_CHARS})
      SELECT json_group_array(user_id) AS users, permissions FROM sets GROUP BY permissions`,
  );
  return rows.map(({ users, permissions }) => ({
    userIds: JSON.parse(users),
    permissionIds: JSON.parse(permissions),
  }));
}

async function grantsById(
  tx: Transaction,
  ids: readonly number[],
): Promise<Map<number, Grant>> {
  const { id, object_types, actions, constraints } = object_permissions;
  const rows = await tx.all(
    select({ id, object_types, actions, constraints }).from(object_permissions).where(
      inArray(id, idsIn(ids)),
    ),
  );
  return new Map(rows.map(({ id, object_types, actions, constraints }) => [id, {
    objectTypes: JSON.parse(object_types),
    actions: JSON.parse(actions),
    constraints: constraints === null ? null : JSON.parse(constraints),
  }]));
}

/** Returns an action and an object type for which all permissions together exceed the limit. */
function exceeded(
  ctx: Context,
  grants: readonly Grant[],
): { action: string; objectType: string } | undefined {
  const constrained = grants.filter(({ constraints }) => constraints !== null);
  const types = constrained.flatMap(({ objectTypes }) => objectTypes);
  for (const objectType of new Set(types.filter(isObjectType))) {
    const onType = grants.filter(({ objectTypes }) => objectTypes.includes(objectType));
    for (const action of new Set(onType.flatMap(({ actions }) => actions))) {
      const named = onType.filter(({ actions }) => actions.includes(action));
      if (grantedRows(named, mapIn(ctx, ctx.mapOf(objectType))) === undefined) {
        return { action, objectType };
      }
    }
  }
  return undefined;
}

/** Users, groups and grants for tests, without the cost of hashing passwords. */

import { sql } from "drizzle-orm";
import { clearActorCache, type Context } from "../../src/auth/mod.ts";
import { groups } from "../../src/domain/accounts/groups/resource.ts";
import { permissions } from "../../src/domain/accounts/permissions/resource.ts";
import { tokens } from "../../src/domain/accounts/tokens/resource.ts";
import { createObject } from "../../src/resource/mod.ts";

/** Settings of a test user. */
export interface UserSeed {
  is_superuser?: boolean;
  is_active?: boolean;
  password_hash?: string;
  groups?: readonly number[];
}

/** Creates a user directly in the database and returns the id. */
export async function seedUser(ctx: Context, username: string, seed: UserSeed = {}): Promise<number> {
  const now = ctx.clock.now();
  const id = await ctx.database.write(async (tx) => {
    const [row] = await tx.all<{ id: number }>(
      sql`INSERT INTO users (username, password_hash, is_active, is_superuser, created, last_updated)
        VALUES (${username}, ${seed.password_hash ?? null}, ${seed.is_active ?? true}, ${
        seed.is_superuser ?? false
      },
          ${now}, ${now}) RETURNING id`,
    );
    const made = row?.id as number;
    for (const group of seed.groups ?? []) {
      await tx.run(sql`INSERT INTO user_groups (user_id, group_id) VALUES (${made}, ${group})`);
    }
    return made;
  });
  clearActorCache(ctx.database);
  return id;
}

/** Creates a group as the service and returns the id. */
export async function seedGroup(ctx: Context, name: string): Promise<number> {
  return (await createObject({ ctx, resource: groups, input: { name } })).id as number;
}

/** An object permission with its users and groups. */
export interface GrantSeed {
  types: readonly string[];
  actions: readonly string[];
  constraints?: unknown;
  users?: readonly number[];
  groups?: readonly number[];
  enabled?: boolean;
}

/** Creates an object permission as the service and returns the id. */
export async function seedGrant(ctx: Context, { types, ...seed }: GrantSeed): Promise<number> {
  const input = { name: `${seed.actions} on ${types}`, object_types: types, ...seed };
  return (await createObject({ ctx, resource: permissions, input })).id as number;
}

/** Creates a token as the service and returns its id and key. */
export async function seedToken(
  ctx: Context,
  input: { user: number; [field: string]: unknown },
): Promise<{ id: number; key: string }> {
  const token = await createObject({ ctx, resource: tokens, input });
  return { id: token.id as number, key: token.key as string };
}

/**
 * Callers of a scenario's request, described by their permissions. They are created by SQL, so that the change log
 * stays empty.
 */

import { sql } from "drizzle-orm";
import { clearActorCache, hashKey, OBJECT_TYPES } from "../../src/auth/mod.ts";
import type { Database } from "../../src/db/mod.ts";

/** One object permission. */
export interface GrantSpec {
  readonly types: readonly string[];
  readonly actions: readonly string[];
  readonly constraints?: unknown;
}

/** A user with one token. */
export interface Actor {
  readonly username: string;
  readonly superuser?: boolean;
  readonly active?: boolean;
  readonly grants: readonly GrantSpec[];
  readonly readOnlyToken?: boolean;
  readonly tokenEnabled?: boolean;
  /** Milliseconds since the epoch. */
  readonly expires?: number;
  readonly allowedIps?: readonly string[];
}

/** The caller: without credentials, with all permissions, or with those of an {@link Actor}. */
export type As = "nobody" | "superuser" | Actor;

/** Properties of an actor besides the grants. */
export type ActorOptions = Partial<Omit<Actor, "grants">>;

/** Returns a user with only these permissions. */
export function granted(grants: readonly GrantSpec[], options: ActorOptions = {}): Actor {
  return { username: "grantee", grants, ...options };
}

/** Returns a user without permissions. */
export function stranger(options: ActorOptions = {}): Actor {
  return granted([], { username: "stranger", ...options });
}

/** Returns a superuser with an unusual token or account. */
export function superuser(options: ActorOptions): Actor {
  return granted([], { username: "chief", superuser: true, ...options });
}

const ALL_ACTIONS = ["view", "add", "change", "delete", "import", "renew", "bulk_operations"] as const;

/** Returns grants for the objects of a tenant, by its slug. Tags and authorities have no tenant: all are included. */
function ownedBy(tenant: string, actions: readonly string[]): GrantSpec[] {
  return [
    { types: ["certmgr.certificate"], actions, constraints: { tenant__slug: tenant } },
    { types: ["certmgr.certificateassignment"], actions, constraints: { certificate__tenant__slug: tenant } },
    { types: ["tenancy.tenant"], actions: ["view"], constraints: { slug: tenant } },
    { types: ["extras.tag", "certmgr.certificateauthority"], actions: ["view"] },
  ];
}

/** Returns a user who may view one tenant's certificates and change nothing. */
export function readerOf(tenant: string): Actor {
  return granted(ownedBy(tenant, ["view"]), { username: `reader-${tenant}` });
}

/** Returns a user who may do everything with one tenant's certificates. */
export function managerOf(tenant: string): Actor {
  return granted(ownedBy(tenant, ALL_ACTIONS), { username: `manager-${tenant}` });
}

/** Returns a user who may view everything and change nothing (specification, Permissions, rule 3). */
export function auditor(): Actor {
  return granted([{ types: OBJECT_TYPES, actions: ["view"] }], { username: "auditor" });
}

/** Returns a user who may do `actions` on the rows of a type that `constraints` select, and view every other type. */
export function within(type: string, actions: readonly string[], constraints: unknown): Actor {
  const others = OBJECT_TYPES.filter((other) => other !== type);
  return granted([{ types: [type], actions, constraints }, { types: others, actions: ["view"] }]);
}

/** Creates the actor and returns the headers that identify them. */
export async function signIn(database: Database, as: As, now: number): Promise<Record<string, string>> {
  if (as === "nobody") return {};
  const key = keyOf(as);
  await insertActor(database, as === "superuser" ? superuser({}) : as, { key, now });
  return { authorization: `Token ${key}` };
}

/** Returns the key of an actor's token. It is not secret, but no response may contain it. */
export function keyOf(as: As): string {
  const name = as === "nobody" || as === "superuser" ? as : as.username;
  return `Key${name.replace(/[^A-Za-z0-9]/g, "")}`.padEnd(40, "0");
}

async function insertActor(
  database: Database,
  actor: Actor,
  { key, now }: { key: string; now: number },
): Promise<void> {
  await database.write(async (tx) => {
    const [user] = await tx.all<{ id: number }>(
      sql`INSERT INTO users (username, is_active, is_superuser, created, last_updated)
        VALUES (${actor.username}, ${actor.active ?? true}, ${actor.superuser ?? false}, ${now}, ${now})
        RETURNING id`,
    );
    await tx.run(
      sql`INSERT INTO tokens (user_id, key_hash, key_prefix, enabled, write_enabled, expires, allowed_ips, last_used,
          created, last_updated)
        VALUES (${user?.id}, ${hashKey(key)}, ${key.slice(0, 8)}, ${actor.tokenEnabled ?? true},
          ${!actor.readOnlyToken}, ${actor.expires ?? null}, ${
        JSON.stringify(actor.allowedIps ?? [])
      }, ${now},
          ${now}, ${now})`,
    );
    for (const { types, actions, constraints = null } of actor.grants) {
      await tx.run(
        sql`INSERT INTO object_permissions (name, object_types, actions, constraints, created, last_updated)
          VALUES ('of an actor', ${JSON.stringify(types)}, ${JSON.stringify(actions)},
            ${constraints === null ? null : JSON.stringify(constraints)}, ${now}, ${now})`,
      );
      await tx.run(
        sql`INSERT INTO object_permission_users (object_permission_id, user_id)
          VALUES (last_insert_rowid(), ${user?.id})`,
      );
    }
  });
  clearActorCache(database);
}

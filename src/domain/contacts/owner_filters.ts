/** Filters of certificates by their contacts and owners. */

import { sql } from "drizzle-orm";
import { where } from "../../db/mod.ts";
import { columnOf, compileCondition, type FilterField } from "../../filters/mod.ts";
import { searchCondition } from "../../resource/mod.ts";
import { contacts } from "./contacts.ts";
import { candidates, CERTIFICATE, CONTACT_ASSIGNMENT, firstOwnerId, objectsOf, ownedBy } from "./owner.ts";

/** Filters by owner: `contact`, `owner`, `owner_name`, `has_owner`. */
export const ownerFilters: Readonly<Record<string, FilterField>> = {
  contact: {
    kind: "predicate",
    type: "integer",
    condition: (id: number, scope) => {
      const a = `${scope.alias}_contact`;
      const direct = objectsOf(CERTIFICATE, a, [
        sql`${columnOf(a, "contact_id")} = ${id}`,
        scope.shown(CONTACT_ASSIGNMENT, a),
      ]);
      return sql`${columnOf(scope.alias, "id")} IN (${direct}) OR ${ownedBy(scope, id)}`;
    },
  },
  owner: {
    kind: "predicate",
    type: "integer",
    object: firstOwnerId,
    condition: (id: number, scope) => ownedBy(scope, id),
  },
  owner_name: {
    kind: "predicate",
    type: "string",
    description: "name or e-mail address of the owner contains the value, ignoring case",
    condition: (text: string, scope) => {
      const a = `${scope.alias}_named`;
      const named = searchCondition(["name", "email"], text);
      const context = { alias: a, now: scope.now, thresholds: scope.thresholds, userId: null };
      return ownedBy(
        scope,
        sql`SELECT ${columnOf(a, "id")} FROM contacts AS ${sql.identifier(a)}${
          where(compileCondition(named, contacts.map, context), scope.shown(contacts.objectType, a))
        }`,
      );
    },
  },
  has_owner: {
    kind: "predicate",
    type: "boolean",
    condition: (value, scope) => {
      const owned = candidates(scope);
      return value ? owned : sql`(${owned}) IS NOT TRUE`;
    },
  },
};

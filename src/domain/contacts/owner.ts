/**
 * The owner of a certificate: one of its own contacts, or else one of a device, virtual machine or service
 * that uses it, or else one of its tenant. Among the contacts of an object, those in the role with the slug
 * `owner` come first, then those with a higher priority, then those assigned earlier. Among several objects,
 * those with a primary assignment come first. Inactive contacts are never owners. Contacts, roles,
 * assignments and objects that the caller may not view are ignored.
 */

import { type SQL, sql } from "drizzle-orm";
import { z } from "zod";
import { type Context, isGranted, viewRestrictions } from "../../auth/mod.ts";
import { type ObjectRow, where } from "../../db/mod.ts";
import type { ViewRestriction } from "../../filters/mod.ts";
import {
  BRIEF,
  columnOf,
  derived,
  type Field,
  nestedJson,
  parseNested,
  readBrief,
} from "../../resource/mod.ts";
import { contactRoles, contacts, isFollowed, TARGETS } from "./contacts.ts";

export const CONTACT_ASSIGNMENT = "tenancy.contactassignment";
const CERTIFICATE_ASSIGNMENT = "certmgr.certificateassignment";
export const CERTIFICATE = "certmgr.certificate";
const TENANT = "tenancy.tenant";

/** Names of the models through which a contact is the owner. */
const VIAS = ["certificate", "device", "virtualmachine", "service", "tenant"] as const;

/** The aliases in a statement, and which rows the caller may view. */
interface Scope {
  /** Alias of the certificates. */
  readonly alias: string;
  readonly shown: ViewRestriction;
}

const OWNER = z.object({ contact: BRIEF, role: BRIEF.nullable(), via: z.enum(VIAS) });

export function ownerField(): Field<"owner", z.output<typeof OWNER> | null> {
  return {
    ...derived("owner", {
      description:
        "The effective owner: one of its own contacts (the role `owner` first, then by priority), else of an " +
        "object that it is assigned to, else of its tenant; `via` says which. Null if there is none.",
      output: OWNER.nullable(),
      needs: [],
      read: (row, ctx) => {
        const owner = parseNested<Record<"contact" | "role" | "via", unknown>>(row.owner);
        if (owner === null) return null;
        const [contact, role] = [parseNested<ObjectRow>(owner.contact), parseNested<ObjectRow>(owner.role)];
        return contact && {
          contact: readBrief(contacts, contact, ctx),
          role: role === null ? null : readBrief(contactRoles, role, ctx),
          via: owner.via,
        };
      },
    }),
    select: ({ alias, ctx }) => {
      if (!maySeeOwners(ctx)) return [["owner", sql`NULL`]];
      const scope = { alias, shown: viewRestrictions(ctx) };
      const owner = (a: string): SQL => {
        const [contact, role] = [
          nestedJson({ name: "contact", target: contacts, column: "contact_id" }, { alias: a, ctx }),
          nestedJson({ name: "role", target: contactRoles, column: "role_id" }, { alias: a, ctx }),
        ];
        return sql`json_object('contact', json(${contact}), 'role', json(${role}), 'via', ${via(a)})`;
      };
      return [["owner", firstOwner(scope, owner)]];
    },
  };
}

/**
 * Returns an expression for the id of the owner of a certificate that the caller may view; NULL if there is
 * none.
 */
export function ownerIdSql(ctx: Context, alias: string): SQL {
  if (!maySeeOwners(ctx)) return sql`NULL`;
  return firstOwnerId({ alias, shown: viewRestrictions(ctx) });
}

function maySeeOwners(ctx: Context): boolean {
  return [CONTACT_ASSIGNMENT, contacts.objectType].every((type) => isGranted(ctx, "view", type));
}

/** The columns of a certificate that its owner depends on. */
export interface OwnedCertificate {
  readonly id: number;
  readonly tenant: number | null;
}

/**
 * Returns the owners of certificates for messages, including hidden ones. The certificates need not exist any
 * more.
 */
export function ownersSql(certificates: readonly OwnedCertificate[]): SQL {
  const rows = certificates.map(({ id, tenant }) => [id, tenant]);
  const part = (table: string, columns: readonly string[], id: SQL): SQL => {
    const pairs = columns.map((column) => sql`${sql.raw(`'${column}'`)}, ${sql.identifier(column)}`);
    return sql`(SELECT json_object(${sql.join(pairs, sql`, `)}) FROM ${
      sql.identifier(table)
    } WHERE id = ${id})`;
  };
  const owner = (a: string): SQL => {
    const contact = part("contacts", ["id", "name", "email", "phone"], columnOf(a, "contact_id"));
    const role = part("contact_roles", ["id", "name", "slug"], columnOf(a, "role_id"));
    return sql`json_object('contact', json(${contact}), 'role', json(${role}), 'via', ${via(a)})`;
  };
  return sql`WITH given AS (SELECT key, value ->> 0 AS id, value ->> 1 AS tenant_id FROM json_each(${
    JSON.stringify(rows)
  })) SELECT ${
    firstOwner({ alias: "given", shown: () => undefined }, owner)
  } AS owner FROM given ORDER BY key`;
}

/**
 * Returns the condition that one of the contacts (an id, or a subquery for ids) owns a certificate: indexes find those
 * that they may own, and its first owner must be one of them.
 */
export function ownedBy(scope: Scope, ids: number | SQL): SQL {
  return sql`(${candidates(scope, ids)}) AND ${firstOwnerId(scope)} IN (${ids})`;
}

/** Returns the id of the owner of a certificate; NULL if there is none. */
export function firstOwnerId(scope: Scope): SQL {
  return firstOwner(scope, (a) => columnOf(a, "contact_id"));
}

/** Returns the condition that a certificate may have an owner, or may have one of these. */
export function candidates({ alias, shown }: Scope, contacts?: number | SQL): SQL {
  const a = `${alias}_contact`;
  const conditions = [
    contacts === undefined ? undefined : sql`${columnOf(a, "contact_id")} IN (${contacts})`,
    active(a),
    shown(CONTACT_ASSIGNMENT, a),
  ];
  const tenant = `${alias}_tenant`;
  const tenantShown = exists(
    { table: "tenants", alias: tenant, id: columnOf(a, "object_id") },
    shown(TENANT, tenant),
  );
  const used = `${alias}_use`;
  const onTargets = sql`SELECT ${columnOf(used, "certificate_id")} FROM contact_assignments AS ${
    sql.identifier(a)
  } CROSS JOIN certificate_assignments AS ${sql.identifier(used)} ON ${sameObject(a, used)}${
    where(
      ...conditions,
      shown(CERTIFICATE_ASSIGNMENT, used),
      isFollowed(used),
      targetShown({ alias, shown }, used),
    )
  }`;
  return sql`${columnOf(alias, "id")} IN (${objectsOf(CERTIFICATE, a, conditions)}) OR ${
    columnOf(alias, "tenant_id")
  } IN (${objectsOf(TENANT, a, [...conditions, tenantShown])}) OR ${columnOf(alias, "id")} IN (${onTargets})`;
}

/** Returns a value of the first owner's assignment; NULL without one. Three searches by an index. */
function firstOwner({ alias, shown }: Scope, value: (assignment: string) => SQL): SQL {
  const a = `${alias}_owner`;
  const from = sql`SELECT ${value(a)} FROM contact_assignments AS ${sql.identifier(a)}`;
  const conditions = [active(a), shown(CONTACT_ASSIGNMENT, a)];
  const of = (type: string, id: SQL, more?: SQL): SQL =>
    sql`(${from}${
      where(
        sql`${columnOf(a, "object_type")} = ${type} AND ${columnOf(a, "object_id")} = ${id}`,
        ...conditions,
        more,
      )
    } ORDER BY ${rank(a, shown)} LIMIT 1)`;
  const used = `${alias}_use`;
  const tenant = `${alias}_tenant`;
  const onTargets = sql`(SELECT ${value(a)} FROM certificate_assignments AS ${
    sql.identifier(used)
  } CROSS JOIN contact_assignments AS ${sql.identifier(a)} ON ${sameObject(a, used)}${
    where(
      sql`${columnOf(used, "certificate_id")} = ${columnOf(alias, "id")}`,
      shown(CERTIFICATE_ASSIGNMENT, used),
      isFollowed(used),
      targetShown({ alias, shown }, used),
      ...conditions,
    )
  } ORDER BY ${columnOf(used, "is_primary")} DESC, ${rank(a, shown)} LIMIT 1)`;
  const tenantShown = exists(
    { table: "tenants", alias: tenant, id: columnOf(alias, "tenant_id") },
    shown(TENANT, tenant),
  );
  return sql`coalesce(${ifUsed([CERTIFICATE], of(CERTIFICATE, columnOf(alias, "id")))}, ${
    ifUsed(TARGETS.map(({ type }) => type), onTargets)
  }, ${ifUsed([TENANT], of(TENANT, columnOf(alias, "tenant_id"), tenantShown))})`;
}

/**
 * Returns NULL while no object of these types has a contact, which SQLite evaluates only once per statement.
 */
function ifUsed(types: readonly string[], value: SQL): SQL {
  const tests = types.map((type) =>
    sql`EXISTS (SELECT 1 FROM contact_assignments WHERE object_type = ${type})`
  );
  return sql`CASE WHEN ${sql.join(tests, sql` OR `)} THEN ${value} END`;
}

/** Orders by the role `owner`, then by priority, then by age. */
function rank(a: string, shown: ViewRestriction): SQL {
  const role = `${a}_role`;
  const owners = sql`SELECT ${columnOf(role, "id")} FROM contact_roles AS ${sql.identifier(role)}${
    where(sql`${columnOf(role, "slug")} = 'owner'`, shown(contactRoles.objectType, role))
  }`;
  return sql`coalesce(${columnOf(a, "role_id")} IN (${owners}), 0) DESC, CASE ${
    columnOf(a, "priority")
  } WHEN 'primary' THEN 0 WHEN 'secondary' THEN 1 WHEN 'tertiary' THEN 2 ELSE 3 END, ${columnOf(a, "id")}`;
}

/** Returns the name of the model through which an assignment determines the owner. */
function via(a: string): SQL {
  return sql`substr(${columnOf(a, "object_type")}, instr(${columnOf(a, "object_type")}, '.') + 1)`;
}

function active(a: string): SQL {
  return sql`${columnOf(a, "priority")} IS NOT 'inactive'`;
}

function sameObject(a: string, used: string): SQL {
  return sql`${columnOf(a, "object_type")} = ${columnOf(used, "assigned_object_type")} AND ${
    columnOf(a, "object_id")
  } = ${columnOf(used, "assigned_object_id")}`;
}

/**
 * Returns the condition that the caller may view the object to which a certificate is assigned; undefined if
 * they may view all.
 */
function targetShown({ alias, shown }: Scope, used: string): SQL | undefined {
  const tests = TARGETS.map(({ type, table }) => {
    const target = `${alias}_target`;
    const condition = exists(
      { table, alias: target, id: columnOf(used, "assigned_object_id") },
      shown(type, target),
    );
    return { type, condition };
  });
  if (tests.every(({ condition }) => condition === undefined)) return undefined;
  const cases = tests.map(({ type, condition }) => sql`WHEN ${type} THEN ${condition ?? sql`1`}`);
  return sql`CASE ${columnOf(used, "assigned_object_type")} ${sql.join(cases, sql` `)} END`;
}

/** Returns undefined without a restriction. */
function exists(
  { table, alias, id }: { table: string; alias: string; id: SQL },
  seen: SQL | undefined,
): SQL | undefined {
  return seen === undefined
    ? undefined
    : sql`EXISTS (SELECT 1 FROM ${sql.identifier(table)} AS ${sql.identifier(alias)} WHERE ${
      columnOf(alias, "id")
    } = ${id} AND ${seen})`;
}

/** Selects the objects of a type whose contact assignments fulfil the conditions. */
export function objectsOf(type: string, a: string, conditions: readonly (SQL | undefined)[]): SQL {
  return sql`SELECT ${columnOf(a, "object_id")} FROM contact_assignments AS ${sql.identifier(a)}${
    where(sql`${columnOf(a, "object_type")} = ${type}`, ...conditions)
  }`;
}

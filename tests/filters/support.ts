/** A small inventory for tests of the filter language: field maps here, the tables in `inventory_db.ts`. */

import { textsByField } from "../../src/base/findings.ts";
import { type SQL, sql } from "drizzle-orm";
import { SQLiteAsyncDialect } from "drizzle-orm/sqlite-core";
import {
  compileCondition,
  type CompileContext,
  type Condition,
  type FieldMap,
  type FilterField,
  parseQuery,
} from "../../src/filters/mod.ts";

const column = { nullable: false, sortable: true } as const;
const id: FilterField = { kind: "integer", column: "id", ...column };

export const TENANTS: FieldMap = {
  objectType: "tenancy.tenant",
  table: "tenants",
  fields: {
    id,
    name: { kind: "text", column: "name", ...column },
    slug: { kind: "text", column: "slug", ...column },
    description: { kind: "text", column: "description", ...column, nullable: true },
    owner: {
      kind: "reference",
      column: "owner_id",
      ...column,
      nullable: true,
      target: () => USERS,
      keys: ["username"],
    },
    tag: many({ table: "tenant_tags", own: "tenant_id" }),
  },
};

export const USERS: FieldMap = {
  objectType: "users.user",
  table: "users",
  fields: { id, username: { kind: "text", column: "username", ...column } },
};

export const TAGS: FieldMap = {
  objectType: "extras.tag",
  table: "tags",
  fields: {
    id,
    name: { kind: "text", column: "name", ...column },
    slug: { kind: "text", column: "slug", ...column },
  },
};

function many(link: { table: string; own: string }): FilterField {
  return {
    kind: "many",
    plural: "tags",
    target: () => TAGS,
    keys: ["slug"],
    ids: (targets) =>
      sql.raw(`SELECT ${link.own} FROM ${link.table} WHERE tag_id IN (`).append(sql`${targets})`),
  };
}

export const CERTIFICATES: FieldMap = {
  objectType: "certmgr.certificate",
  table: "certificates",
  search: (text, alias) =>
    sql`${sql.identifier(alias)}."common_name" LIKE ${`%${text}%`} OR ${
      sql.identifier(alias)
    }."issuer" LIKE ${`%${text}%`}`,
  fields: {
    id,
    common_name: {
      kind: "text",
      column: "common_name",
      ...column,
      defaultOperator: "contains",
      indexed: { table: "certificate_search", column: "common_name" },
    },
    issuer: { kind: "text", column: "issuer", ...column, defaultOperator: "icontains" },
    acme_provider: { kind: "text", column: "acme_provider", ...column, nullable: true },
    serial_number: { kind: "hex", column: "serial_hex", ...column, number: true },
    fingerprint: { kind: "hex", column: "fingerprint_hex", ...column },
    status: { kind: "choice", column: "status", ...column, choices: ["active", "expired", "revoked"] },
    key_size: { kind: "integer", column: "key_size", ...column, nullable: true },
    is_acme: { kind: "boolean", column: "is_acme", ...column },
    valid_to: { kind: "datetime", column: "valid_to", ...column },
    tenant: {
      kind: "reference",
      column: "tenant_id",
      ...column,
      nullable: true,
      target: () => TENANTS,
      keys: ["slug", "name"],
    },
    replaced_by: {
      kind: "reference",
      column: "replaced_by_id",
      ...column,
      sortable: false,
      nullable: true,
      target: () => CERTIFICATES,
      keys: ["common_name"],
    },
    tag: many({ table: "certificate_tags", own: "certificate_id" }),
    san: {
      kind: "values",
      defaultOperator: "icontains",
      indexed: { table: "certificate_search", column: "sans" },
      list: "sans",
      source: { table: "certificate_sans", column: "value" },
      ids: (condition) =>
        sql`SELECT certificate_id FROM certificate_sans WHERE ${condition(sql.raw("value"))}`,
    },
    expired: {
      kind: "predicate",
      type: "boolean",
      condition: (value, { alias, now }) =>
        value === true
          ? sql`${sql.identifier(alias)}.valid_to < ${now}`
          : sql`${sql.identifier(alias)}.valid_to >= ${now} OR 0`,
    },
    health: {
      kind: "predicate",
      type: "choice",
      choices: ["good", "bad"],
      condition: (value, { alias }) =>
        sql`(${sql.identifier(alias)}.status = 'active') = ${value === "good" ? 1 : 0}`,
    },
  },
};

export const NOW = Date.UTC(2026, 10, 20);

/** The default context of tests. */
export const CONTEXT: CompileContext = {
  alias: "c",
  now: NOW,
  thresholds: { criticalDays: 14, warningDays: 30 },
  userId: 7,
};

const dialect = new SQLiteAsyncDialect();

/** Returns SQL text and parameters. */
export function render(query: SQL): { sql: string; params: unknown[] } {
  const { sql, params } = dialect.sqlToQuery(query);
  return { sql, params };
}

/** Returns SQL text and parameters of a condition on certificates. */
export function compiled(
  condition: Condition,
  context: Partial<CompileContext> = {},
): { sql: string; params: unknown[] } {
  return render(compileCondition(condition, CERTIFICATES, { ...CONTEXT, ...context }));
}

/** Returns the condition of a query string, which must be valid. */
export function query(text: string, map: FieldMap = CERTIFICATES): Condition {
  const { condition, errors } = parseQuery(new URLSearchParams(text), map, { reserved: new Set(["limit"]) });
  if (errors.length > 0) throw new Error(`${text}: ${JSON.stringify(errors)}`);
  return condition;
}

/** Returns the errors of a query string. */
export function queryErrors(text: string | [string, string][]): Record<string, string[]> {
  return textsByField(
    parseQuery(new URLSearchParams(text), CERTIFICATES, { reserved: new Set(["limit"]) }).errors,
  );
}

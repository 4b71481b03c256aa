/** What the rows of a table assign: the objects that use a certificate, and the contacts that are responsible for it. */

import { type SQL, sql } from "drizzle-orm";
import { authorize, type Context, isGranted, nameableSql } from "../../../auth/mod.ts";
import { invalid } from "../../../base/errors.ts";
import { addFinding, addOnce, addSome, type Finding, finding } from "../../../base/findings.ts";
import { type Cell, idsIn, jsonText, type RowOf } from "../../../db/mod.ts";
import type { devices } from "../../../db/schema/mod.ts";
import {
  anyErrors,
  columnOf,
  type Draft,
  draftsOf,
  quote,
  type Resource,
  storeOnly,
  validateDrafts,
  type Values,
  type WriteCall,
} from "../../../resource/mod.ts";
import { ASSIGNED_RESOURCES, assignments } from "../../assignments/mod.ts";
import { contactAssignments } from "../../contact_assignments/mod.ts";
import { contacts } from "../../contacts/mod.ts";
import { certificates } from "../mod.ts";
import { shownText } from "./named_references.ts";
import type { RowDraft } from "./plan.ts";
import { ASSIGNMENTS, CONTACTS, type NamedTarget } from "./row_targets.ts";
import type { ImportRow } from "./rows.ts";

/** A found object, with its id and tenant. */
export interface FoundTarget extends NamedTarget {
  readonly target: Resource;
  readonly id: number;
  readonly tenantId: number | null;
}

/**
 * Finds the objects by row, if the caller may view them. Adds an error to the drafts for those that do not
 * exist or whose name is not unique. At most one statement per type. Errors: forbidden (`add` on
 * assignments, or on those of contacts).
 */
export async function findAssignedObjects(
  { ctx, tx }: Pick<WriteCall, "ctx" | "tx">,
  planned: readonly RowDraft[],
): Promise<Map<number, FoundTarget[]>> {
  const named = planned.filter(({ row: { targets = [] } }) => targets.length > 0);
  const found = new Map<number, FoundTarget[]>();
  if (named.length === 0) return found;
  const objects = new Map<Resource, Map<string, AssignedRow[]>>();
  for (const target of [...ASSIGNED_RESOURCES, contacts]) {
    const all = named.flatMap(({ row: { targets = [] } }) =>
      targets.filter(({ among }) => among.includes(target))
    );
    if (all.length === 0) continue;
    authorize(ctx, "add", assignmentsOf(target === contacts).map);
    objects.set(target, await readObjects({ ctx, tx }, target, all));
  }
  for (const { place, draft, row: { targets = [] } } of named) {
    const list: FoundTarget[] = [];
    const unknown: { readonly one: NamedTarget; readonly count: number }[] = [];
    for (const one of targets) {
      const same = one.among.flatMap((target) =>
        (objects.get(target)?.get(keyOf(one.by, one.value)) ?? []).map((object) => ({ target, object }))
      );
      const [only] = same;
      if (only === undefined || same.length > 1) {
        unknown.push({ one, count: same.length });
        continue;
      }
      const { target, object: { id, tenant_id: tenantId } } = only;
      if (!list.some((known) => known.target === target && known.id === id)) {
        list.push({ ...one, target, id, tenantId });
      }
    }
    for (const [column, wrong] of Map.groupBy(unknown, ({ one }) => one.column)) {
      addSome(draft.errors, column, { wrong, reason: ({ one, count }) => reasonOf(one, count) });
    }
    found.set(place, list);
  }
  return found;
}

function reasonOf({ among, by, value }: NamedTarget, count: number): Finding {
  if (count === 0) {
    const type = among.map(({ label }) => label).join(" or ");
    const unknown = finding("no_object_with", { type, attribute: by, value: quote(value) });
    return { ...unknown, params: { ...unknown.params, text: shownText(String(value)) } };
  }
  return finding("name_not_unique", {
    count,
    types: among.map(({ labelPlural }) => labelPlural).join(" or "),
    value: quote(value),
  });
}

function keyOf(by: NamedTarget["by"], value: unknown): string {
  return JSON.stringify([by, by === "email" ? String(value).toLowerCase() : value]);
}

/** An object that can use certificates, or a contact, which has no tenant. */
type AssignedRow = Pick<RowOf<typeof devices>, "id" | "name" | "tenant_id"> & {
  readonly email: string | null;
};

async function readObjects(
  { ctx, tx }: { ctx: Context; tx: WriteCall["tx"] },
  target: Resource,
  all: readonly NamedTarget[],
): Promise<Map<string, AssignedRow[]>> {
  const alias = target.map.table;
  const seen = nameableSql(ctx, target.map, alias) ?? sql`1`;
  const ids = all.map(({ value }) => value).filter((value) => typeof value === "number");
  const valuesBy = (key: NamedTarget["by"]): SQL => {
    const values = all.flatMap(({ by, value }) => by === key ? [value] : []);
    return sql`(SELECT value FROM json_each(${jsonText(values)}))`;
  };
  const [id, name] = [columnOf(alias, "id"), columnOf(alias, "name")];
  const [tenant, email] = target === contacts
    ? [sql`NULL`, columnOf(alias, "email")]
    : [columnOf(alias, "tenant_id"), sql`NULL`];
  const rows = await tx.all<AssignedRow>(
    sql`SELECT ${id} AS id, ${name} AS name, ${tenant} AS tenant_id, ${email} AS email FROM ${target.table}
      WHERE (${id} IN ${idsIn(ids)} OR ${name} IN ${valuesBy("name")}
        OR ${email} COLLATE NOCASE IN ${valuesBy("email")}) AND ${seen}`,
  );
  const byKey = new Map<string, AssignedRow[]>();
  for (const row of rows) {
    const keys = [
      keyOf("name", row.name),
      keyOf("id", row.id),
      ...row.email ? [keyOf("email", row.email)] : [],
    ];
    for (const key of keys) {
      const same = byKey.get(key);
      if (same === undefined) byKey.set(key, [row]);
      else same.push(row);
    }
  }
  return byKey;
}

/** The type of the assignments of a target. */
function assignmentsOf(isContact: boolean): Resource {
  return isContact ? contactAssignments : assignments;
}

/** Returns a row without what the caller may not assign, which is an error of its column: a page can leave that out. */
export function withoutForbidden(ctx: Context, { targets = [], ...row }: ImportRow): ImportRow {
  const byRight = Map.groupBy(
    targets,
    ({ column }) => isGranted(ctx, "add", assignmentsOf(column === CONTACTS).objectType),
  );
  const errors = [...row.errors];
  for (const { column } of byRight.get(false) ?? []) addOnce(errors, column, finding("not_assignable"));
  return { ...row, errors, targets: byRight.get(true) ?? [] };
}

/** Adds an error if the object belongs to another tenant than the certificate. */
export function checkTenants(
  { input, before, errors }: Draft,
  targets: readonly FoundTarget[],
): void {
  const tenant = (input.tenant === undefined ? before?.tenant_id : input.tenant) ?? null;
  const wrong = targets.find(({ tenantId }) => tenant !== null && tenantId !== null && tenantId !== tenant);
  if (wrong !== undefined) addFinding(errors, wrong.column, finding("other_tenant"));
}

/** An assignment to store: a certificate, and what is assigned to it. */
interface ToStore {
  readonly certificate: number;
  readonly one: FoundTarget;
}

/** Stores the assignments of stored certificates, except existing ones. A constant number of statements. */
export async function storeTargets(
  call: Pick<WriteCall, "ctx" | "tx">,
  stored: readonly { readonly certificate: number; readonly targets: readonly FoundTarget[] }[],
): Promise<void> {
  const all = stored.flatMap(({ certificate, targets }) =>
    targets.map((one): ToStore => ({ certificate, one }))
  );
  const byKind = Map.groupBy(all, ({ one }) => one.target === contacts);
  await storeAssignments(call, byKind.get(false) ?? [], {
    resource: assignments,
    existing: sql`SELECT certificate_id AS certificate, assigned_object_type AS type, assigned_object_id AS id
      FROM certificate_assignments WHERE certificate_id`,
    input: ({ one: { is_primary, notes } }) => ({ is_primary, notes }),
    // Columns instead of fields, because these references are already resolved and authorized.
    row: ({ certificate, one }) => ({
      certificate_id: certificate,
      assigned_object_type: one.target.objectType,
      assigned_object_id: one.id,
    }),
  });
  await storeAssignments(call, byKind.get(true) ?? [], {
    resource: contactAssignments,
    existing: sql`SELECT object_id AS certificate, ${contacts.objectType} AS type, contact_id AS id
      FROM contact_assignments WHERE object_type = ${certificates.objectType} AND object_id`,
    input: () => ({}),
    row: ({ certificate, one }) => ({
      object_type: certificates.objectType,
      object_id: certificate,
      contact_id: one.id,
    }),
  });
}

async function storeAssignments(
  { ctx, tx }: Pick<WriteCall, "ctx" | "tx">,
  all: readonly ToStore[],
  { resource, existing, input, row }: {
    resource: Resource;
    /** Statement for the `certificate`, `type` and `id` of existing ones, up to `IN` and ids of certificates. */
    existing: SQL;
    input: (one: ToStore) => Values;
    row: (one: ToStore) => Readonly<Record<string, Cell>>;
  },
): Promise<void> {
  if (all.length === 0) return;
  const call: WriteCall = { ctx, tx, resource, allowed: authorize(ctx, "add", resource.map) };
  const rows = await tx.all<{ certificate: number; type: string; id: number }>(
    sql`${existing} IN ${idsIn(all.map(({ certificate }) => certificate))}`,
  );
  const known = new Set(rows.map(({ certificate, type, id }) => JSON.stringify([certificate, type, id])));
  const fresh = all.filter(({ certificate, one }) =>
    !known.has(JSON.stringify([certificate, one.target.objectType, one.id]))
  );
  if (fresh.length === 0) return;
  const drafts = await draftsOf(call, fresh.map((one) => ({ input: input(one), errors: [], reveal: {} })));
  for (const [index, one] of fresh.entries()) Object.assign(drafts[index]?.row ?? {}, row(one));
  await validateDrafts(call, drafts);
  if (anyErrors(drafts)) {
    throw invalid(
      drafts.flatMap(({ errors }, index) =>
        errors.map((one) => ({ ...one, field: fresh[index]?.one.column ?? ASSIGNMENTS }))
      ),
    );
  }
  await storeOnly(call, drafts);
}

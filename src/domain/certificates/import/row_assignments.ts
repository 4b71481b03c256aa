/** Assignments in the rows of a table: the objects that use a certificate. */

import { inArray, sql } from "drizzle-orm";
import { authorize, type Context, nameableSql } from "../../../auth/mod.ts";
import { addError, type FieldErrors, invalid } from "../../../base/errors.ts";
import { isDictionary } from "../../../filters/mod.ts";
import { idsIn, jsonText, type RowOf, select } from "../../../db/mod.ts";
import { certificate_assignments, type devices } from "../../../db/schema/mod.ts";
import {
  anyErrors,
  columnOf,
  type Draft,
  draftsOf,
  inputSchema,
  quote,
  type Resource,
  storeOnly,
  validateDrafts,
  type Values,
  type WriteCall,
} from "../../../resource/mod.ts";
import { ASSIGNED_RESOURCES, assignments, OTHER_TENANT } from "../../assignments/mod.ts";
import type { RowDraft } from "./plan.ts";

/** An object that uses the certificate of a row, given by name or id. */
export interface NamedTarget {
  readonly target: Resource;
  readonly by: "name" | "id";
  readonly value: string | number;
  readonly is_primary: boolean;
  readonly notes: string;
}

/** A found object, with its id and tenant. */
export interface FoundTarget extends NamedTarget {
  readonly id: number;
  readonly tenantId: number | null;
}

const COLUMN = "assignments";
/** Maximum number of assignments in a row. */
const MAX_ROW_ASSIGNMENTS = 100;
const EXPECTED = `Expected a type and a name such as "dcim.device:web-1"`;

/** Reads the cell: texts, or objects as the API shows assignments. Adds an error for each invalid one. */
export function readTargets(value: unknown, errors: FieldErrors): NamedTarget[] {
  if (!Array.isArray(value)) {
    addError(errors, COLUMN, `Expected a list of assignments, not ${quote(value)}.`);
    return [];
  }
  if (value.length > MAX_ROW_ASSIGNMENTS) {
    addError(errors, COLUMN, `Expected at most ${MAX_ROW_ASSIGNMENTS} assignments, not ${value.length}.`);
    return [];
  }
  return value.flatMap((one) => {
    const found = typeof one === "string" ? fromText(one) : isDictionary(one) ? fromObject(one) : undefined;
    if (found === undefined) addError(errors, COLUMN, `${EXPECTED}, not ${quote(one)}.`);
    return found ?? [];
  });
}

function fromText(text: string): NamedTarget | undefined {
  const at = text.indexOf(":");
  const target = targetOf(text.slice(0, at));
  const value = text.slice(at + 1).trim();
  if (at < 1 || target === undefined || value === "") return undefined;
  return { target, by: "name", value, is_primary: false, notes: "" };
}

function fromObject(given: Values): NamedTarget | undefined {
  const target = targetOf(given.assigned_object_type);
  const object = isDictionary(given.assigned_object) ? given.assigned_object : {};
  const name = given.assigned_object_name ?? object.name ??
    (typeof given.assigned_object === "string" ? given.assigned_object : undefined);
  const notes = inputSchema(assignments, "notes").safeParse(given.notes ?? "");
  if (target === undefined || !notes.success) return undefined;
  const rest = { target, is_primary: given.is_primary === true, notes: String(notes.data) };
  // Prefers the name, because it is the same in another service, while the id is not.
  if (typeof name === "string" && name !== "") return { ...rest, by: "name", value: name };
  const { assigned_object_id: id } = given;
  return typeof id === "number" && Number.isSafeInteger(id) ? { ...rest, by: "id", value: id } : undefined;
}

/** Returns the resource for `dcim.device` or `device`. */
function targetOf(type: unknown): Resource | undefined {
  const name = String(type).trim().toLowerCase();
  return ASSIGNED_RESOURCES.find(({ objectType }) =>
    objectType === name || objectType.split(".")[1] === name
  );
}

/**
 * Finds the objects by row, if the caller may view them. Adds an error to the drafts for those that do not
 * exist or whose name is not unique. At most one statement per type. Errors: forbidden (`add` on
 * assignments).
 */
export async function findAssignedObjects(
  { ctx, tx }: Pick<WriteCall, "ctx" | "tx">,
  planned: readonly RowDraft[],
): Promise<Map<number, FoundTarget[]>> {
  const named = planned.filter(({ row: { targets = [] } }) => targets.length > 0);
  const found = new Map<number, FoundTarget[]>();
  if (named.length === 0) return found;
  authorize(ctx, "add", assignments.map);
  for (const target of ASSIGNED_RESOURCES) {
    const own = named.map(({ place, draft, row: { targets = [] } }) => ({
      place,
      draft,
      targets: targets.filter((one) => one.target === target),
    }));
    const all = own.flatMap(({ targets }) => targets);
    if (all.length === 0) continue;
    const objects = await readObjects({ ctx, tx }, target, all);
    for (const { place, draft, targets } of own) {
      for (const one of targets) {
        const same = objects.get(keyOf(one.by, one.value)) ?? [];
        const [object] = same;
        if (object === undefined || same.length > 1) {
          addError(draft.errors, COLUMN, reasonOf(one, same.length));
        } else {
          const list = found.get(place) ?? [];
          found.set(place, list);
          const known = list.some(({ target, id }) => target === one.target && id === object.id);
          if (!known) list.push({ ...one, id: object.id, tenantId: object.tenant_id });
        }
      }
    }
  }
  return found;
}

function reasonOf({ target, by, value }: NamedTarget, count: number): string {
  return count === 0
    ? `No ${target.label} with the ${by} ${quote(value)} was found.`
    : `${count} ${target.labelPlural} have the name ${quote(value)}. Use assigned_object_id.`;
}

function keyOf(by: NamedTarget["by"], value: unknown): string {
  return JSON.stringify([by, value]);
}

/** An object that can use certificates. */
type AssignedRow = Pick<RowOf<typeof devices>, "id" | "name" | "tenant_id">;

async function readObjects(
  { ctx, tx }: { ctx: Context; tx: WriteCall["tx"] },
  target: Resource,
  all: readonly NamedTarget[],
): Promise<Map<string, AssignedRow[]>> {
  const alias = target.map.table;
  const seen = nameableSql(ctx, target.map, alias) ?? sql`1`;
  const ids = all.map(({ value }) => value).filter((value) => typeof value === "number");
  const names = all.flatMap(({ by, value }) => by === "name" ? [value] : []);
  const rows = await tx.all<AssignedRow>(
    sql`SELECT ${columnOf(alias, "id")} AS id, ${columnOf(alias, "name")} AS name,
        ${columnOf(alias, "tenant_id")} AS tenant_id FROM ${target.table}
      WHERE (${columnOf(alias, "id")} IN ${idsIn(ids)} OR ${
      columnOf(alias, "name")
    } IN (SELECT value FROM json_each(${jsonText(names)}))) AND ${seen}`,
  );
  const byKey = new Map<string, AssignedRow[]>();
  for (const row of rows) {
    for (const key of [keyOf("name", row.name), keyOf("id", row.id)]) {
      byKey.set(key, [...byKey.get(key) ?? [], row]);
    }
  }
  return byKey;
}

/** Adds an error if the object belongs to another tenant than the certificate. */
export function checkTenants(
  { input, before, errors }: Draft,
  targets: readonly FoundTarget[],
): void {
  const tenant = (input.tenant === undefined ? before?.tenant_id : input.tenant) ?? null;
  const wrong = targets.some(({ tenantId }) => tenant !== null && tenantId !== null && tenantId !== tenant);
  if (wrong) addError(errors, COLUMN, OTHER_TENANT);
}

/** Stores the assignments of stored certificates, except existing ones. A constant number of statements. */
export async function storeTargets(
  { ctx, tx }: WriteCall,
  stored: readonly { readonly certificate: number; readonly targets: readonly FoundTarget[] }[],
): Promise<void> {
  if (stored.every(({ targets }) => targets.length === 0)) return;
  const call: WriteCall = { ctx, tx, resource: assignments, allowed: authorize(ctx, "add", assignments.map) };
  const { certificate_id, assigned_object_type, assigned_object_id } = certificate_assignments;
  const existing = await tx.all(
    select({ certificate_id, assigned_object_type, assigned_object_id }).from(certificate_assignments)
      .where(inArray(certificate_id, idsIn(stored.map(({ certificate }) => certificate)))),
  );
  const known = new Set(existing.map((row) => JSON.stringify(Object.values(row))));
  const fresh = stored.flatMap(({ certificate, targets }) =>
    targets.map((one) => ({ certificate, one })).filter(({ one }) =>
      !known.has(JSON.stringify([certificate, one.target.objectType, one.id]))
    )
  );
  if (fresh.length === 0) return;
  const drafts = await draftsOf(
    call,
    fresh.map(({ one: { is_primary, notes } }) => ({ input: { is_primary, notes }, errors: {}, reveal: {} })),
  );
  for (const [index, { row }] of drafts.entries()) {
    const { certificate, one } = fresh[index] ?? {};
    // Columns instead of fields, because these references are already resolved and authorized.
    Object.assign(row, {
      certificate_id: certificate,
      assigned_object_type: one?.target.objectType,
      assigned_object_id: one?.id,
    });
  }
  await validateDrafts(call, drafts);
  if (anyErrors(drafts)) {
    throw invalid({ [COLUMN]: drafts.flatMap(({ errors }) => Object.values(errors).flat()) });
  }
  await storeOnly(call, drafts);
}

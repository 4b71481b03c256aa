/** Custom fields of drafts: validates the given values, applies defaults and merges them with the stored ones. */

import { addFinding, concerns, type Finding, finding } from "../../base/findings.ts";
import { getTableName, type SQL, sql } from "drizzle-orm";
import { nameableSql, scanBudgetOf } from "../../auth/mod.ts";
import { idsIn } from "../../db/mod.ts";
import {
  checkCustomValue,
  CUSTOM_COLUMN,
  type CustomField,
  customFieldsOf,
  refreshCustomFields,
} from "../custom/mod.ts";
import type { Draft, Values } from "../model/field.ts";
import { columnOf, isDictionary } from "../../filters/mod.ts";
import { unknownField } from "../model/fields/messages.ts";
import { parseNested } from "../model/fields/reference.ts";
import { resourceOfType } from "../model/registry.ts";
import type { WriteCall } from "./write_call.ts";

/**
 * Replaces the input by the values to store. One statement per type of related objects, none without any, and
 * one for unique fields.
 */
export async function resolveCustomValues(call: WriteCall, drafts: readonly Draft[]): Promise<void> {
  const { ctx, resource } = call;
  if (!(CUSTOM_COLUMN in resource.fields)) return;
  await refreshCustomFields(ctx, call.tx);
  const fields = customFieldsOf(ctx.database, resource.objectType);
  const written = drafts.filter((draft) =>
    (draft.before === undefined || CUSTOM_COLUMN in draft.input) && !concerns(draft.errors, CUSTOM_COLUMN)
  );
  const visibleIds = await visibleObjects(call, fields, written);
  const budget = scanBudgetOf(ctx);
  for (const draft of written) {
    const stored = storedValues(draft);
    const given = givenValues(draft);
    for (const name of Object.keys(given)) {
      if (fields.some((field) => field.name === name)) continue;
      refuseCustom(draft, name.slice(0, 100), unknownField(name, fields.map((one) => one.name)));
    }
    const values: Values = { ...stored };
    for (const field of fields) {
      const { name } = field;
      if (!Object.hasOwn(given, name) && draft.before !== undefined) continue;
      // An unchanged value remains valid even if the definition has become stricter. References are checked
      // in any case, because the response for a hidden one must not depend on whether it is stored.
      const sent = draft.before !== undefined && field.type !== "object";
      if (sent && isSame(given[name], stored[name])) continue;
      // Nobody can provide values for objects that the service discovers, such as the certificate of an
      // endpoint.
      const required = field.required && ctx.actor.userId !== null;
      const value = Object.hasOwn(given, name) ? given[name] : field.initial;
      const checked = checkCustomValue(
        required === field.required ? field : { ...field, required },
        value,
        budget,
      );
      const seen = visibleIds.get(field.relatedType ?? "");
      if ("error" in checked) refuseCustom(draft, name, checked.error);
      else if (field.type === "object" && checked.value !== null && !seen?.has(Number(checked.value))) {
        refuseCustom(draft, name, finding("related_not_found", { id: Number(checked.value) }));
      } else if (checked.value !== null) values[name] = checked.value;
      // A caller who may not view the object has read null, and keeps the object by writing null.
      else if (field.type !== "object" || seen?.has(Number(stored[name]))) {
        Reflect.deleteProperty(values, name);
      }
    }
    draft.input[CUSTOM_COLUMN] = Object.fromEntries(
      Object.entries(values).sort(([a], [b]) => a < b ? -1 : 1),
    );
  }
  await refuseRepeated(call, fields.filter(({ unique }) => unique), written);
}

function refuseCustom(draft: Draft, name: string, one: Finding): void {
  addFinding(draft.errors, CUSTOM_COLUMN, { ...one, path: [name, ...one.path ?? []] });
}

/** Refuses values of unique fields that another object has, stored or in the same call. */
async function refuseRepeated(
  { tx, resource }: WriteCall,
  fields: readonly CustomField[],
  drafts: readonly Draft[],
): Promise<void> {
  const repeated = (draft: Draft, name: string): void =>
    refuseCustom(draft, name, finding("another_has_value", { object: resource.label }));
  const table = sql.identifier(getTableName(resource.table));
  const lookups: SQL[] = [];
  const given = new Map<string, Draft>();
  for (const { name } of fields) {
    const values = new Map<unknown, Draft>();
    for (const draft of drafts) {
      const value = givenValues(draft)[name] ?? null;
      if (value === null || isSame(value, storedValues(draft)[name])) continue;
      if (values.has(value)) repeated(draft, name);
      else values.set(value, draft);
    }
    if (values.size === 0) continue;
    for (const [value, draft] of values) given.set(JSON.stringify([name, value]), draft);
    const path = sql.raw(`'$.${name}'`);
    // CROSS JOIN forces an index search for each value instead of a scan of the table, whatever the
    // statistics.
    lookups.push(
      sql`SELECT ${name} AS name, json_quote(value) AS value, ${table}.id AS id FROM json_each(${
        JSON.stringify([...values.keys()])
      }) CROSS JOIN ${table} ON ${table}.${sql.identifier(CUSTOM_COLUMN)} ->> ${path} = value`,
    );
  }
  if (lookups.length === 0) return;
  const found = await tx.all<{ name: string; value: string; id: number }>(
    sql.join(lookups, sql` UNION ALL `),
  );
  for (const { name, value, id } of found) {
    const draft = given.get(JSON.stringify([name, JSON.parse(value)]));
    // Also refused if the same call changes the other object's value, as for the unique fields of a resource.
    if (draft !== undefined && draft.id !== id) repeated(draft, name);
  }
}

function isSame(given: unknown, stored: unknown): boolean {
  return JSON.stringify(given ?? null) === JSON.stringify(stored ?? null);
}

function storedValues({ before }: Draft): Values {
  return parseNested<Values>(before?.[CUSTOM_COLUMN]) ?? {};
}

function givenValues({ input }: Draft): Values {
  const given = input[CUSTOM_COLUMN];
  return isDictionary(given) ? given : {};
}

/** Returns the objects among the given and stored ones that exist and that the caller may name, by type. */
async function visibleObjects(
  { ctx, tx }: WriteCall,
  fields: readonly CustomField[],
  drafts: readonly Draft[],
): Promise<Map<string, Set<number>>> {
  const ids = new Map<string, Set<number>>();
  for (const field of fields.filter(({ type }) => type === "object")) {
    const known = ids.get(field.relatedType ?? "") ?? new Set<number>();
    ids.set(field.relatedType ?? "", known);
    for (const draft of drafts) {
      const given = givenValues(draft);
      for (const value of [given[field.name] ?? field.initial, storedValues(draft)[field.name]]) {
        const checked = checkCustomValue({ ...field, required: false }, value);
        if ("value" in checked && typeof checked.value === "number") known.add(checked.value);
      }
    }
  }
  const found = new Map<string, Set<number>>();
  for (const [type, requested] of ids) {
    const target = resourceOfType(type);
    if (target === undefined || requested.size === 0) continue;
    const alias = getTableName(target.table);
    const seen = nameableSql(ctx, target.map, alias);
    const rows = await tx.all<{ id: number }>(
      sql`SELECT ${columnOf(alias, "id")} AS id FROM ${target.table} WHERE ${columnOf(alias, "id")} IN ${
        idsIn([...requested])
      }${seen === undefined ? sql`` : sql` AND ${seen}`}`,
    );
    found.set(type, new Set(rows.map(({ id }) => id)));
  }
  return found;
}

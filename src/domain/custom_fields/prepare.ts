/** Checks definitions of custom fields, and keeps indexes and stored values consistent with them. */

import { finding } from "../../base/findings.ts";
import { getTableName, type Name, type SQL, sql } from "drizzle-orm";
import { idsIn, type Row, type RowOf, type Transaction } from "../../db/mod.ts";
import {
  checkCustomValue,
  CUSTOM_COLUMN,
  type CustomField,
  type CustomType,
  type Draft,
  effectiveJson,
  refuse,
  type ValueRules,
  type Values,
  type WriteStep,
} from "../../resource/mod.ts";
import { CUSTOMIZED_RESOURCES } from "./targets.ts";
import type { custom_fields } from "../../db/schema/mod.ts";

/** Maximum numbers of custom fields, and of those with indexes, because each index slows down every write. */
const MAX_FIELDS = 200;
const MAX_INDEXED = 20;

const CHOOSES: readonly string[] = ["select", "multiselect"];
const UNINDEXED: readonly string[] = ["json", "multiselect", "longtext"];
/** Types that cannot be unique: an index cannot compare their values, or they have only two. */
const REPEATED: readonly string[] = [...UNINDEXED, "boolean"];

/** Validates drafts, and creates and removes indexes. */
export async function prepareCustomFields({ tx, drafts }: WriteStep<FieldRow, FieldInput>): Promise<void> {
  const choices = await choicesOf(tx, drafts);
  for (const draft of drafts) check(draft, choices);
  await limit(tx, drafts);
  for (const draft of drafts) {
    if (Object.keys(draft.errors).length === 0) await arrangeIndexes(tx, draft);
  }
}

/** Removes the values of deleted fields from all objects, and the fields' indexes. */
export async function removeCustomFields(
  { tx, rows }: { tx: Transaction; rows: readonly RowOf<typeof custom_fields>[] },
): Promise<void> {
  await remove(
    tx,
    rows.map((row) => ({
      name: row.name,
      types: JSON.parse(row.object_types),
      indexed: indexOf(row) !== "none",
    })),
  );
}

type FieldRow = RowOf<typeof custom_fields> & { readonly type: CustomType };
type FieldInput = Values & {
  name?: string;
  type?: CustomType;
  object_types?: string[];
  choice_set?: number | null;
  validation_minimum?: number | null;
  validation_maximum?: number | null;
  validation_regex?: string;
  related_object_type?: string | null;
};
type FieldDraft = Draft<FieldRow, FieldInput>;

type Choices = CustomField["choices"];

function check(draft: FieldDraft, choiceSets: ReadonlyMap<number, Choices>): void {
  const { input, before } = draft;
  for (const name of ["name", "type"]) {
    if (before !== undefined && name in input && input[name] !== before[name]) {
      refuse(draft, name, finding("custom_field_fixed", { name }));
    }
  }
  const {
    type = "text",
    choice_set: choiceSet = before?.choice_set_id ?? null,
    validation_minimum: minimum = null,
    validation_maximum: maximum = null,
    validation_regex: regex = "",
  } = { ...before, ...input };
  const range = { minimum, maximum };
  checkReferences(draft, type, choiceSet);
  checkIndex(draft, type);
  checkRange(draft, range);
  if (Object.keys(draft.errors).length > 0 || (input.default ?? null) === null) return;
  checkDefault(draft, {
    type,
    required: false,
    ...range,
    regex,
    choices: choiceSets.get(choiceSet ?? 0) ?? null,
  });
}

/** Checks that a field has a choice set, or a related object type, exactly if its type needs one. */
function checkReferences(draft: FieldDraft, type: CustomType, choiceSet: number | null): void {
  if (CHOOSES.includes(type) && choiceSet === null) {
    refuse(draft, "choice_set", finding("choice_set_required", { type }));
  }
  if (!CHOOSES.includes(type) && choiceSet !== null) {
    refuse(draft, "choice_set", finding("choice_set_unused", { type }));
  }
  const { input, before } = draft;
  const related = input.related_object_type === undefined
    ? before?.related_object_type ?? null
    : input.related_object_type;
  if (type === "object" && related === null) {
    refuse(draft, "related_object_type", finding("related_type_required"));
  }
  if (type !== "object" && related !== null) {
    refuse(draft, "related_object_type", finding("related_type_unused", { type }));
  }
}

function checkIndex(draft: FieldDraft, type: CustomType): void {
  if (UNINDEXED.includes(type) && draft.input.indexed === true) {
    refuse(draft, "indexed", finding("index_unavailable", { type }));
  }
  if (!isUnique(draft)) return;
  if (REPEATED.includes(type)) refuse(draft, "unique", finding("unique_unavailable", { type }));
  if ((draft.input.default === undefined ? draft.before?.initial ?? null : draft.input.default) !== null) {
    refuse(draft, "default", finding("unique_default"));
  }
}

function checkRange(draft: FieldDraft, { minimum, maximum }: Pick<CustomField, "minimum" | "maximum">): void {
  if (minimum !== null && maximum !== null && minimum > maximum) {
    refuse(
      draft,
      "validation_minimum",
      finding("minimum_above_maximum", { maximum: Number(maximum), minimum: Number(minimum) }),
    );
  }
}

/** Checks the default by the rules for values of the field, and stores its normal form. */
function checkDefault(draft: FieldDraft, rules: ValueRules): void {
  if (rules.type === "object") return refuse(draft, "default", finding("object_default"));
  const checked = checkCustomValue(rules, draft.input.default);
  if ("error" in checked) refuse(draft, "default", checked.error);
  else draft.input.default = checked.value;
}

async function choicesOf(
  tx: Transaction,
  drafts: readonly FieldDraft[],
): Promise<Map<number, Choices>> {
  const ids = drafts.flatMap((draft) => [draft.input.choice_set, draft.before?.choice_set_id])
    .filter((id) => typeof id === "number");
  if (ids.length === 0) return new Map();
  const rows = await tx.all<{ id: number; choices: string }>(
    sql`SELECT id, extra_choices AS choices FROM custom_field_choice_sets WHERE id IN ${idsIn(ids)}`,
  );
  return new Map(rows.map(({ id, choices }) => [id, JSON.parse(choices)]));
}

async function limit(tx: Transaction, drafts: readonly FieldDraft[]): Promise<void> {
  const [row] = await tx.all<{ fields: number; indexed: number }>(
    sql`SELECT count(*) AS fields, coalesce(sum((indexed OR unique_values) AND id NOT IN ${
      idsIn(drafts.map(({ id }) => id))
    }), 0) AS indexed FROM custom_fields`,
  );
  let fields = row?.fields ?? 0;
  let indexed = row?.indexed ?? 0;
  for (const draft of drafts) {
    if (draft.before === undefined && ++fields > MAX_FIELDS) {
      refuse(draft, "__all__", finding("too_many_custom_fields", { max: MAX_FIELDS }));
    }
    if (indexAfter(draft) !== "none" && ++indexed > MAX_INDEXED) {
      refuse(
        draft,
        isUnique(draft) ? "unique" : "indexed",
        finding("too_many_indexes", { max: MAX_INDEXED }),
      );
    }
  }
}

type Index = "none" | "plain" | "unique";

function indexOf(row: Row | undefined): Index {
  return row?.unique_values === 1 ? "unique" : row?.indexed === 1 ? "plain" : "none";
}

function isUnique({ input, before }: FieldDraft): boolean {
  return input.unique === undefined ? before?.unique_values === 1 : input.unique === true;
}

function indexAfter(draft: FieldDraft): Index {
  const { input, before } = draft;
  const indexed = input.indexed === undefined ? before?.indexed === 1 : input.indexed === true;
  return isUnique(draft) ? "unique" : indexed ? "plain" : "none";
}

/** Creates the indexes of a definition. Removes indexes and values that it no longer covers. */
async function arrangeIndexes(tx: Transaction, draft: FieldDraft): Promise<void> {
  const { input, before } = draft;
  const { name = "", type } = { ...before, ...input };
  const types = effectiveJson(draft, "object_types") ?? [];
  const earlier: string[] = before === undefined ? [] : JSON.parse(before.object_types);
  const [was, is] = [indexOf(before), indexAfter(draft)];
  const gone = earlier.filter((type) => !types.includes(type));
  if (gone.length > 0) await remove(tx, [{ name, types: gone, indexed: was !== "none" }]);
  for (
    const { objectType, table } of CUSTOMIZED_RESOURCES.filter(({ objectType }) => types.includes(objectType))
  ) {
    const had = earlier.includes(objectType) ? was : "none";
    if (had === is) continue;
    const [index, on] = [sql.identifier(indexName(table, name)), sql.identifier(getTableName(table))];
    if (had !== "none") await tx.run(sql`DROP INDEX IF EXISTS ${index}`);
    if (is === "none") continue;
    if (is === "unique" && await hasRepeated(tx, on, name)) {
      refuse(
        draft,
        "unique",
        finding("values_repeat", { object_type: objectType }),
      );
      return;
    }
    const unique = is === "unique" ? sql`UNIQUE ` : sql``;
    const value = type === "datetime"
      ? sql`rtrim((${memberOf(name)}), 'Z')` // As filters compare it.
      : memberOf(name);
    await tx.run(sql`CREATE ${unique}INDEX IF NOT EXISTS ${index} ON ${on} (${value})`);
  }
}

async function hasRepeated(tx: Transaction, table: Name, name: string): Promise<boolean> {
  const rows = await tx.all(
    sql`SELECT 1 FROM ${table} WHERE ${memberOf(name)} IS NOT NULL GROUP BY ${
      memberOf(name)
    } HAVING count(*) > 1 LIMIT 1`,
  );
  return rows.length > 0;
}

/** Fields whose values and indexes are removed from objects of some types. */
interface Removed {
  readonly name: string;
  readonly types: readonly string[];
  readonly indexed: boolean;
}

/** Number of arguments of `json_remove` per call; SQLite allows 127. */
const MAX_PATHS = 100;

/** Removes values with one statement per table, and each index with another. */
async function remove(tx: Transaction, removed: readonly Removed[]): Promise<void> {
  const column = sql.identifier(CUSTOM_COLUMN);
  for (const { objectType, table } of CUSTOMIZED_RESOURCES) {
    const fields = removed.filter(({ types }) => types.includes(objectType));
    if (fields.length === 0) continue;
    const paths = fields.map(({ name }) => sql.raw(`'$.${name}'`));
    let rest = sql`${column}`;
    for (let start = 0; start < paths.length; start += MAX_PATHS) {
      rest = sql`json_remove(${rest}, ${sql.join(paths.slice(start, start + MAX_PATHS), sql`, `)})`;
    }
    const present = paths.map((path) => sql`json_type(${column}, ${path}) IS NOT NULL`);
    await tx.run(sql`UPDATE ${table} SET ${column} = ${rest} WHERE ${sql.join(present, sql` OR `)}`);
    for (const { name } of fields.filter(({ indexed }) => indexed)) {
      await tx.run(sql`DROP INDEX IF EXISTS ${sql.identifier(indexName(table, name))}`);
    }
  }
}

function memberOf(name: string): SQL {
  return sql`${sql.identifier(CUSTOM_COLUMN)} ->> ${sql.raw(`'$.${name}'`)}`;
}

function indexName(table: Parameters<typeof getTableName>[0], name: string): string {
  return `cf_${getTableName(table)}_${name}`;
}

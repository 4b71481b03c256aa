/** The values of rows of filters: choices, objects, dates, numbers or text, as the type of the filter says. */

import { type FieldMap, mapIn } from "../../../filters/mod.ts";
import { customMembersOf, type Resource } from "../../../resource/mod.ts";
import type { Call } from "../../call.ts";
import { controlId, type Html, type SelectOption } from "../components/mod.ts";
import type { FieldErrors } from "../../../base/errors.ts";
import { chosenOf, type LoadedReference, loadReference, suggestPath } from "../reference/choices.ts";
import { parseReference } from "../reference/reference_text.ts";
import { readReferences } from "../reference/read_references.ts";
import { shownText } from "../reference/reference.tsx";
import { choicesOf, filtersByName, filterTarget } from "./filter_description.ts";
import { type FilterRow, nameOfRow, partsOfText } from "./filter_rows.ts";
import type { FieldView } from "../view.ts";

/** What the values of rows belong to. */
export interface RowsOf {
  /** Undefined if its objects have no list, whose objects could be suggested. */
  readonly resource: Resource | undefined;
  readonly map: FieldMap;
  /** Choices of fields whose definition has none. */
  readonly fields?: Readonly<Record<string, FieldView>> | undefined;
}

/** A row with what its control offers. */
export interface LoadedRow {
  readonly row: FilterRow;
  /** Name of its filter in a query. */
  readonly name: string;
  /** Undefined for text, and for objects of which there are too many to list. */
  readonly options?: readonly SelectOption[] | undefined;
  readonly reference?: LoadedReference | undefined;
  readonly type: "text" | "date" | "number";
}

/** Types of objects that are searched and never listed: there are many, and each list would cost a statement. */
const MANY: ReadonlySet<string> = new Set([
  "certmgr.certificate",
  "dcim.device",
  "virtualization.virtualmachine",
  "ipam.service",
]);

/** Loads what the controls of rows offer. At most three statements for each type to whose objects they refer. */
export async function loadRows(
  call: Call,
  { resource, map, fields = {} }: RowsOf,
  rows: readonly FilterRow[],
): Promise<readonly LoadedRow[]> {
  const names = filtersByName(map);
  const members = resource === undefined ? [] : customMembersOf(call.ctx.database, resource.objectType);
  const targets = rows.map((row) => resource && filterTarget(call, resource, nameOfRow(row)));
  const references = new Map<Resource, Promise<LoadedReference>>();
  const referenceOf = (target: Resource): Promise<LoadedReference> =>
    references.getOrInsertComputed(target, async () => {
      const values = rows.filter((_, index) => targets[index]?.target === target).map(({ value }) => value);
      return MANY.has(target.objectType)
        ? { targets: [target], chosen: await chosenOf(call, [target], values) }
        : await loadReference(call, [target], { name: "", values });
    });
  return await Promise.all(rows.map(async (row, index): Promise<LoadedRow> => {
    const name = nameOfRow(row);
    const filter = names.get(name);
    const target = targets[index];
    if (target?.by === "id" && filter?.type === "integer") {
      const reference = await referenceOf(target.target);
      return { row, name, options: reference.options, reference, type: "text" };
    }
    const labels = Object.entries(members.find((one) => one.name === row.field)?.shown?.labels ?? {});
    const isChoice = filter?.type === "choice" || filter?.type === "string" && row.comparison.length < 2;
    const own = isChoice ? fields[row.field]?.choices?.() ?? labels : [];
    const type = filter?.type === "datetime" && /^(\d{4}-\d\d-\d\d)?$/.test(row.value)
      ? "date"
      : filter?.type === "integer" && /^-?\d*$/.test(row.value)
      ? "number"
      : "text";
    return { row, name, options: own.length > 0 ? own : choicesOf(filter), type };
  }));
}

/** Renders the control of a value. */
export function ValueControl(
  { loaded: { row: { value }, name: filter, options, reference, type }, name, label, errors }: {
    loaded: LoadedRow;
    name: string;
    label: string;
    /** Errors by the name of the filter. */
    errors: FieldErrors;
  },
): Html {
  const wrong = Object.hasOwn(errors, filter)
    ? { id: controlId(filter), "aria-invalid": "true" as const }
    : {};
  if (options === undefined) {
    return (
      <input
        type={type}
        name={name}
        value={reference === undefined ? value : shownText(reference, value)}
        aria-label={label}
        placeholder={reference === undefined ? "Value" : "Name or ID"}
        autocomplete="off"
        {...wrong}
        {...(type === "number" ? { step: "any" } : {})}
        {...(reference === undefined ? {} : { "data-suggest": suggestPath(reference.targets) })}
      />
    );
  }
  // The current object can be hidden or deleted; it must not be removed silently.
  const known = options.some(([one]) => one === value);
  const text = value === "" ? "Choose a value" : value === "null" ? "none" : value;
  return (
    <select name={name} aria-label={label} {...wrong}>
      {known ? null : <option value={value} selected>{text}</option>}
      {options.map(([one, shown]) => <option value={one} selected={one === value}>{shown}</option>)}
    </select>
  );
}

/**
 * Returns the filter for the text in the control of a filter by id: the id of a suggestion (`tenant_id=Acme (#3)`), or the
 * filter by name for other text (`device_id=web-01` is `device=web-01`); without one, the id of the object with the name.
 * At most two statements for a name.
 */
export async function byIdOrName(
  call: Call,
  resource: Resource,
  [name, value]: readonly [name: string, value: string],
): Promise<readonly [name: string, value: string]> {
  const found = filterTarget(call, resource, name);
  if (found?.by !== "id" || value === "" || /^(\d+|null)$/.test(value)) return [name, value];
  const targets = [found.target];
  const byName = name.replace(/_id$/, "");
  const isNamed = byName !== name && Object.hasOwn(mapIn(call.ctx, resource.map).fields, byName);
  const isChosen = parseReference(targets, value) !== undefined;
  const [reading] = isChosen || !isNamed ? await readReferences(call, targets, [value]) : [];
  if (reading !== undefined && "id" in reading) return [name, reading.id];
  return isNamed ? [byName, value] : [name, value];
}

/** Returns rows with the ids of the objects whose names they have. */
export async function withIds(
  call: Call,
  { resource, map }: RowsOf,
  rows: readonly FilterRow[],
): Promise<readonly FilterRow[]> {
  return await Promise.all(rows.map(async (row) => {
    if (resource === undefined) return row;
    const [name, value] = await byIdOrName(call, resource, [nameOfRow(row), row.value]);
    const [part] = partsOfText(map, String(new URLSearchParams([[name, value]])), "query")?.rows ?? [];
    return part ?? row;
  }));
}

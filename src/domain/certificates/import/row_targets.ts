/** Reads what the rows of a table assign: objects that use the certificate, and contacts that are responsible for it. */

import { addFinding, addSome, type Finding, finding } from "../../../base/findings.ts";
import { isDictionary } from "../../../filters/mod.ts";
import { inputSchema, type Resource, unexpected, type Values } from "../../../resource/mod.ts";
import { ASSIGNED_RESOURCES, assignments } from "../../assignments/mod.ts";
import { contacts } from "../../contacts/mod.ts";
import { devices, virtualMachines } from "../../inventory/mod.ts";

/** An object that uses the certificate of a row, or a contact, given by name or id; a contact also by e-mail address. */
export interface NamedTarget {
  /** The types of which it is one. */
  readonly among: readonly Resource[];
  /** The column that names it. */
  readonly column: string;
  readonly by: "name" | "id" | "email";
  readonly value: string | number;
  readonly is_primary: boolean;
  readonly notes: string;
}

/** The column with objects of any type. */
export const ASSIGNMENTS = "assignments";
/** The column of a spreadsheet with the names of devices and virtual machines. */
export const DEVICES = "devices";
/** The column with the names or e-mail addresses of contacts. */
export const CONTACTS = "contacts";
/** Maximum number of assignments in a row. */
const MAX_ROW_ASSIGNMENTS = 100;
const EXPECTED = 'a type and a name such as "dcim.device:web-1"';

/** Reads the cell: texts, or objects as the API shows assignments. Adds an error for each invalid one. */
export function readTargets(value: unknown, errors: Finding[]): NamedTarget[] {
  const wrong: unknown[] = [];
  const targets = listed(value, { column: ASSIGNMENTS, things: "assignments", errors }).flatMap((one) => {
    const found = typeof one === "string" ? fromText(one) : isDictionary(one) ? fromObject(one) : undefined;
    if (found === undefined) wrong.push(one);
    return found ?? [];
  });
  addSome(errors, ASSIGNMENTS, { wrong, reason: (one) => unexpected(EXPECTED, one) });
  return targets;
}

/** Reads the names of devices and virtual machines. Adds an error for each that is no text. */
export function readDevices(value: unknown, errors: Finding[]): NamedTarget[] {
  const expected = "the name of a device or virtual machine";
  return namesIn(value, { among: [devices, virtualMachines], column: DEVICES, expected, errors });
}

/** Reads the names and e-mail addresses of contacts. Adds an error for each that is no text. */
export function readContacts(value: unknown, errors: Finding[]): NamedTarget[] {
  const expected = "the name or e-mail address of a contact";
  return namesIn(value, { among: [contacts], column: CONTACTS, expected, errors })
    .map((one) => String(one.value).includes("@") ? { ...one, by: "email" } : one);
}

function namesIn(
  value: unknown,
  { expected, errors, ...where }: Pick<NamedTarget, "among" | "column"> & {
    expected: string;
    errors: Finding[];
  },
): NamedTarget[] {
  const all = listed(value, { column: where.column, things: "names", errors });
  const wrong = all.filter((one) => typeof one !== "string");
  addSome(errors, where.column, { wrong, reason: (one) => unexpected(expected, one) });
  return all.filter((one) => typeof one === "string").map((one) => named(one, where));
}

function listed(
  value: unknown,
  { column, things, errors }: { column: string; things: string; errors: Finding[] },
): readonly unknown[] {
  if (!Array.isArray(value)) {
    addFinding(errors, column, unexpected(`a list of ${things}`, value));
    return [];
  }
  if (value.length <= MAX_ROW_ASSIGNMENTS) return value;
  const expected = `at most ${MAX_ROW_ASSIGNMENTS} ${things}`;
  addFinding(errors, column, finding("unexpected", { expected, value: value.length }));
  return [];
}

function named(value: string, where: Pick<NamedTarget, "among" | "column">): NamedTarget {
  return { ...where, by: "name", value, is_primary: false, notes: "" };
}

function fromText(text: string): NamedTarget | undefined {
  const at = text.indexOf(":");
  const target = targetOf(text.slice(0, at));
  const value = text.slice(at + 1).trim();
  if (at < 1 || target === undefined || value === "") return undefined;
  return named(value, { among: [target], column: ASSIGNMENTS });
}

function fromObject(given: Values): NamedTarget | undefined {
  const target = targetOf(given.assigned_object_type);
  const object = isDictionary(given.assigned_object) ? given.assigned_object : {};
  const name = given.assigned_object_name ?? object.name ??
    (typeof given.assigned_object === "string" ? given.assigned_object : undefined);
  const notes = inputSchema(assignments, "notes").safeParse(given.notes ?? "");
  if (target === undefined || !notes.success) return undefined;
  const rest = {
    among: [target],
    column: ASSIGNMENTS,
    is_primary: given.is_primary === true,
    notes: String(notes.data),
  };
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

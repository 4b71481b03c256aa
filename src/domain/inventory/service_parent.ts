/** The parent of a service under the names that NetBox's clients use: `device` and `virtual_machine`. */

import {
  aliasOf,
  type Brief,
  type Draft,
  type Field,
  refuse,
  REQUIRED,
  type Resource,
} from "../../resource/mod.ts";
import { devices } from "./devices.ts";
import { virtualMachines } from "./virtual_machines.ts";

const KINDS: readonly (readonly [name: "device" | "virtual_machine", target: Resource])[] = [
  ["device", devices],
  ["virtual_machine", virtualMachines],
];
const [TYPE, ID] = ["parent_object_type", "parent_object_id"];

/**
 * Returns the fields `device` and `virtual_machine`: the parent if it has that type, otherwise null. They can
 * be written instead of type and id.
 */
export function parentNames(
  parent: Field,
): Field<"device" | "virtual_machine", Brief | null>[] {
  return KINDS.map(([name, target]) =>
    aliasOf(name, {
      description: `The parent if it is a ${target.label}; may be sent instead of \`${TYPE}\` and \`${ID}\`.`,
      target,
      keys: ["name"],
      needs: [TYPE, "parent"],
      read: (read) => (row, ctx) => row[TYPE] === target.objectType ? read(row, ctx) : null,
      of: parent,
    })
  );
}

/** Sets the parent from `device` or `virtual_machine`, and refuses services without a parent. */
export function requireParents(drafts: readonly Draft[]): void {
  for (const draft of drafts) {
    if ([TYPE, ID, ...KINDS.map(([name]) => name)].some((name) => draft.errors[name] !== undefined)) continue;
    if (!takeNamed(draft)) continue;
    // Services without a parent, from before this rule, can be changed otherwise.
    if (draft.before !== undefined && !(TYPE in draft.input) && !(ID in draft.input)) continue;
    for (const name of [TYPE, ID]) {
      const value = name in draft.input ? draft.input[name] : draft.before?.[name];
      if (value === undefined || value === null) refuse(draft, name, REQUIRED);
    }
  }
}

/** Returns whether the fields about the parent agree. */
function takeNamed(draft: Draft): boolean {
  const { input } = draft;
  const given = KINDS.flatMap(([name, target]) => {
    const id = input[name];
    delete input[name];
    return id === undefined || id === null ? [] : [{ name, type: target.objectType, id }];
  });
  const [first, second] = given;
  if (first === undefined) return true;
  if (second !== undefined) {
    refuse(draft, "__all__", "Expected one of device and virtual_machine, not both.");
    return false;
  }
  // An object that is sent back unchanged has both forms, which then agree.
  const agrees = (name: string, value: unknown): boolean =>
    input[name] === undefined || input[name] === null || input[name] === value;
  if (!agrees(TYPE, first.type) || !agrees(ID, first.id)) {
    refuse(draft, first.name, `Conflicts with ${TYPE} and ${ID}. Send only one of the two.`);
    return false;
  }
  input[TYPE] = first.type;
  input[ID] = first.id;
  return true;
}

/** The fields of a resource by what they do in a write: put apart once, and not again for each object. */

import type { Field, Resource } from "./definition.ts";
import { type OneColumn, oneColumnOf } from "./fields/column.ts";

/** A field that has this member. */
type Having<Member extends keyof Field> = Field & Required<Pick<Field, Member>>;

/** A field that fills columns; `one` where it is one column. */
export interface StoredField {
  readonly name: string;
  readonly columns: NonNullable<Field["columns"]>;
  readonly one: OneColumn | undefined;
}

/** Fields in the resource's order. */
export interface FieldLists {
  /** Those that a caller may give. */
  readonly given: readonly Having<"input">[];
  /** Those that fill columns. */
  readonly stored: readonly StoredField[];
  /** Those that the change record keeps. */
  readonly recorded: readonly Having<"record">[];
  /** Those that store values in side tables, and know what they stored. */
  readonly storedValues: readonly Having<"storedValues">[];
}

const lists = new WeakMap<Resource["fields"], FieldLists>();

/** The lists of a resource. */
export function fieldLists({ fields }: Resource): FieldLists {
  const known = lists.get(fields);
  if (known !== undefined) return known;
  const all = Object.values(fields);
  const made: FieldLists = {
    given: having(all, "input"),
    stored: having(all, "columns").map(({ name, columns }) => ({
      name,
      columns,
      one: oneColumnOf(columns),
    })),
    recorded: having(all, "record"),
    storedValues: having(all, "storedValues"),
  };
  lists.set(fields, made);
  return made;
}

function having<Member extends keyof Field>(fields: readonly Field[], member: Member): Having<Member>[] {
  return fields.filter((field): field is Having<Member> => field[member] !== undefined);
}

/** The fields of a resource grouped by their role in writes; computed once per resource. */

import { memoize } from "../../base/memoize.ts";
import type { Field, Resource, SingleColumn } from "./definition.ts";

/** A field with a certain optional member. */
type Having<Member extends keyof Field> = Field & Required<Pick<Field, Member>>;

/** A field that is stored in columns of the resource's table; `one` if it is a single column. */
export interface StoredField {
  readonly name: string;
  readonly columns: NonNullable<Field["columns"]>;
  readonly one: SingleColumn | undefined;
}

/** Fields in the resource's order. */
export interface FieldLists {
  /** Fields that a caller may write. */
  readonly given: readonly Having<"input">[];
  /** Fields that are stored in columns. */
  readonly stored: readonly StoredField[];
  /** Fields of the change record. */
  readonly recorded: readonly Having<"record">[];
  /** Fields that are stored in side tables and whose stored values are known without reading them back. */
  readonly storedValues: readonly Having<"storedValues">[];
}

/** Returns the grouped fields of a resource. */
export function fieldLists({ fields }: Resource): FieldLists {
  return groupFields(fields);
}

const groupFields = memoize((fields: Resource["fields"]): FieldLists => {
  const all = Object.values(fields);
  return {
    given: having(all, "input"),
    stored: having(all, "columns").map(({ name, columns }) => ({
      name,
      columns,
      one: columns.one,
    })),
    recorded: having(all, "record"),
    storedValues: having(all, "storedValues"),
  };
});

function having<Member extends keyof Field>(fields: readonly Field[], member: Member): Having<Member>[] {
  return fields.filter((field): field is Having<Member> => field[member] !== undefined);
}

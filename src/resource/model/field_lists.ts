/** The fields of a resource grouped by their role in writes. Computed once per resource. */

import { memoize } from "../../base/memoize.ts";
import type { Resource } from "./definition.ts";
import type { Field } from "./field.ts";

/** A field with a certain optional member. */
type FieldWith<Member extends keyof Field> = Field & Required<Pick<Field, Member>>;

/** A field that a caller may write. */
export type WritableField = FieldWith<"input">;

/** A field of the change record. */
export type RecordedField = FieldWith<"record">;

/** Fields in the resource's order. */
export interface FieldLists {
  /** Fields that a caller may write. */
  readonly writable: readonly WritableField[];
  /** Fields that are stored in columns. */
  readonly stored: readonly FieldWith<"columns">[];
  /** Fields of the change record. */
  readonly recorded: readonly RecordedField[];
  /** Fields that are stored in side tables. */
  readonly side: readonly FieldWith<"side">[];
}

/** Returns the grouped fields of a resource. */
export function fieldLists({ fields }: Resource): FieldLists {
  return groupFields(fields);
}

const groupFields = memoize((fields: Resource["fields"]): FieldLists => {
  const all = Object.values(fields);
  return {
    writable: fieldsWith(all, "input"),
    stored: fieldsWith(all, "columns"),
    recorded: fieldsWith(all, "record"),
    side: fieldsWith(all, "side"),
  };
});

function fieldsWith<Member extends keyof Field>(
  fields: readonly Field[],
  member: Member,
): FieldWith<Member>[] {
  return fields.filter((field): field is FieldWith<Member> => field[member] !== undefined);
}

/** Generic references: two fields of a resource (type and id) that forms show as one. */

import type { Field, Resource } from "../../../resource/mod.ts";

export interface GenericReference {
  /** `assigned_object`. */
  readonly name: string;
  readonly description: string;
  /** `assigned_object_type`. */
  readonly type: Field;
  /** `assigned_object_id`. */
  readonly id: Field;
  readonly targets: readonly Resource[];
}

/** Returns the generic references of a resource. */
export function genericsOf({ fields }: Resource): GenericReference[] {
  return Object.values(fields).flatMap(({ name, description, targets, foreignKey }) => {
    const type = fields[foreignKey?.typeColumn ?? ""];
    const id = fields[foreignKey?.column ?? ""];
    return targets === undefined || type === undefined || id === undefined
      ? []
      : [{ name, description, type, id, targets }];
  });
}

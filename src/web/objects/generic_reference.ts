/** References to an object of one of several kinds: two fields of a resource, but one question to a person. */

import type { Field, Resource } from "../../resource/mod.ts";

/** Such a reference. */
export interface GenericReference {
  /** `assigned_object`. */
  readonly name: string;
  readonly description: string;
  /** `assigned_object_type`: which kind. */
  readonly type: Field;
  /** `assigned_object_id`: which one. */
  readonly id: Field;
  readonly targets: readonly Resource[];
}

/** Those of a resource. */
export function genericsOf({ fields }: Resource): GenericReference[] {
  return Object.values(fields).flatMap(({ name, description, targets, foreignKey }) => {
    const type = fields[foreignKey?.typeColumn ?? ""];
    const id = fields[foreignKey?.column ?? ""];
    return targets === undefined || type === undefined || id === undefined
      ? []
      : [{ name, description, type, id, targets }];
  });
}

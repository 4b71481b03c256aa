/** Generic references: two fields of a resource (type and id) that forms show as one. */

import type { FieldErrors } from "../../../base/errors.ts";
import { memoize } from "../../../base/memoize.ts";
import type { Field, Resource } from "../../../resource/mod.ts";
import { parseReference, referenceValue } from "./reference_text.ts";

export interface GenericReference {
  /** `assigned_object`. */
  readonly name: string;
  /** `assigned_object_type`. */
  readonly type: Field;
  /** `assigned_object_id`. */
  readonly id: Field;
  readonly targets: readonly Resource[];
  /** The field of a form in place of both. */
  readonly field: Field;
}

/** Returns the generic references of a resource. Cached. */
export const genericsOf = memoize(({ fields }: Resource): readonly GenericReference[] =>
  Object.values(fields).flatMap((field) => {
    const { name, targets, foreignKey } = field;
    const type = fields[foreignKey?.typeColumn ?? ""];
    const id = fields[foreignKey?.column ?? ""];
    if (targets === undefined || type === undefined || id?.input === undefined) return [];
    return [{ name, type, id, targets, field: { ...field, required: type.required, input: id.input } }];
  })
);

/** Returns the types of the objects to which a field refers; empty for other fields. */
export function targetsOf({ target, targets = [] }: Field): readonly Resource[] {
  return target === undefined ? targets : [target()];
}

/** Moves the errors of type and id, which are often the same, to the only control of a generic reference. */
export function withJoinedErrors(resource: Resource, errors: FieldErrors): FieldErrors {
  const joined: FieldErrors = { ...errors };
  for (const { name, type, id } of genericsOf(resource)) {
    const texts = new Set(
      [type, id].flatMap((one) => Object.hasOwn(errors, one.name) ? errors[one.name] ?? [] : []),
    );
    delete joined[type.name];
    delete joined[id.name];
    if (texts.size > 0) joined[name] = [...texts];
  }
  return joined;
}

/** Returns the values of generic references, which an object and a URL have as type and id. */
export function genericState(
  resource: Resource,
  valuesOf: (generic: GenericReference) => readonly unknown[],
): Record<string, string> {
  return Object.fromEntries(
    genericsOf(resource).flatMap((generic) => {
      const { name, targets } = generic;
      const [type, id] = valuesOf(generic);
      const target = targets.find(({ objectType }) => objectType === type);
      return target === undefined ? [] : [[name, referenceValue(targets, { target, id: String(id ?? "") })]];
    }),
  );
}

/** Returns the texts of the type and the id of a generic reference; a text that is no value is refused as an id. */
export function partsOfTarget({ targets, type, id }: GenericReference, text: string): [Field, string][] {
  const parsed = parseReference(targets, text);
  return parsed?.name === "" ? [[type, parsed.target.objectType], [id, parsed.id]] : [[type, ""], [id, text]];
}

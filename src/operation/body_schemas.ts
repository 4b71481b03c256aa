/** Schemas that the bodies and answers of operations are made of. */

import { z } from "zod";
import { documented, type Resource, schemaName, unknownField, wants } from "../resource/mod.ts";

/** An object with these fields and no others: unknown ones are refused, with the name that was probably meant. */
export function objectBody<Shape extends z.ZodRawShape>(shape: Shape): z.ZodObject<Shape, z.core.$strict> {
  const names = Object.keys(shape);
  const unknown = z.unknown().refine(() => false, {
    error: (issue) => unknownField(String(issue.path?.at(-1)), names),
  });
  const schema = z.object(shape).catchall(documented(unknown, { not: {} }));
  return schema.meta({ additionalProperties: false }) as unknown as z.ZodObject<Shape, z.core.$strict>;
}

/** The body of an operation that takes none: absent, or an empty object. */
export const NO_INPUT = objectBody({}).optional();

/** The id of an object. */
export function objectId(): z.ZodInt {
  return z.int(wants("Expected an id")).min(1);
}

type ShownObject = Record<string, unknown>;

/** An object as the API shows it; the document refers to the resource's own schema. */
export function shown(resource: Resource): z.ZodType<ShownObject, ShownObject> {
  return documented(z.custom<ShownObject>(), {
    $ref: `#/components/schemas/${schemaName(resource)}`,
  });
}

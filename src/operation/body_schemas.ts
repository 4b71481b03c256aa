/** Schemas that operations share. */

import { encoded } from "../base/findings.ts";
import { z } from "zod";
import {
  type Answer,
  documented,
  expectedError,
  type Identity,
  type Resource,
  schemaName,
  toJsonSchema,
  unknownField,
} from "../resource/mod.ts";
import { type BodyFinding, parseBody } from "./body_findings.ts";

/**
 * Returns the schema of an object with exactly these fields. Unknown ones are refused, with the name that was
 * probably meant.
 * @param rule The message for what is no object, if it is not the whole body.
 */
export function objectBody<Shape extends z.ZodRawShape>(
  shape: Shape,
  rule?: ReturnType<typeof expectedError>,
): z.ZodObject<Shape, z.core.$strict> {
  const names = Object.keys(shape);
  const unknown = z.unknown().refine(() => false, {
    error: ({ path }) => encoded(unknownField(String(path?.at(-1)), names)),
  });
  const schema = z.object(shape, rule).catchall(documented(unknown, { not: {} }));
  return schema.meta({ additionalProperties: false }) as unknown as z.ZodObject<Shape, z.core.$strict>;
}

/** The body of an operation without input: absent, or an empty object. */
export const NO_INPUT = objectBody({}).optional();

/** Returns the schema of an object's id. */
export function objectId(): z.ZodInt {
  return z.int(expectedError("an id")).min(1);
}

/** An element of a list: its value, or its errors. */
export type ParsedElement<Value> =
  | { readonly value: Value }
  | { readonly given: unknown; readonly findings: readonly BodyFinding[] };

/** The elements of a list, which the operation parses in `run`. */
export interface Elements<Value> {
  readonly length: number;
  readonly parsed: () => Iterable<ParsedElement<Value>>;
}

/**
 * Returns the schema of a list whose elements `run` parses one by one, so that it can report every invalid
 * one by its index, and first refuse a list that is longer than a setting allows.
 */
export function elementsOf<Item extends z.ZodType>(
  item: Item,
): z.ZodType<Elements<z.output<Item>>, unknown[]> {
  const elements = z.array(z.unknown()).transform((list): Elements<z.output<Item>> => ({
    length: list.length,
    *parsed(): Generator<ParsedElement<z.output<Item>>> {
      for (const given of list) {
        const parsed = parseBody(item, given);
        yield "value" in parsed ? parsed : { given, ...parsed };
      }
    },
  }));
  return documented(elements, () => ({ type: "array", minItems: 1, items: toJsonSchema(item) }));
}

/**
 * Returns the schema of an object as the API shows it. The API document refers to the schema of the resource.
 */
export function shown<Of extends Identity>(resource: Resource<Of>): z.ZodType<Answer<Of>, Answer<Of>> {
  return documented(z.custom<Answer<Of>>(), {
    $ref: `#/components/schemas/${schemaName(resource)}`,
  });
}

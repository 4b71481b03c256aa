/** Fields with an object (`{"days": 30}`) whose members a form shows one by one. */

import { z } from "zod";
import { isDictionary } from "../../../filters/mod.ts";
import { memoize } from "../../../base/memoize.ts";
import type { Field, Values } from "../../../resource/mod.ts";
import { labelOf } from "../../messages.ts";

/** A field with an object whose members a form shows as fields. They depend on the value of another field. */
export interface Parts {
  /** The field with the object. */
  readonly field: string;
  /** The field that decides the members. It is chosen before the form of a new object and cannot be changed there. */
  readonly by: string;
  /** Values of `by` with name and description. */
  readonly choices: () => readonly (readonly [value: string, name: string, about: string])[];
  /** Returns the schema of the object. */
  readonly schemaOf: (value: string) => z.ZodType | undefined;
  /** Fields that the form leaves out for a value of `by`. */
  readonly without?: (value: string) => readonly string[];
  /** Other fields that a value of `by` requires. */
  readonly required?: (value: string) => readonly string[];
  /** Help texts of fields for a value of `by`, in place of those of the view. */
  readonly help?: (value: string) => Readonly<Record<string, string>>;
}

/** A member as a separate field: `settings.url`. */
export interface Part extends Field {
  readonly part: string;
}

/** Returns whether a field is a member of an object. */
export function isPart(field: Field): field is Part {
  return "part" in field;
}

/** The JSON schema of a member; `choices` are the values of a list. */
interface MemberSchema {
  readonly type?: string;
  readonly description?: string;
  readonly default?: unknown;
  readonly enum?: readonly string[];
  readonly choices?: readonly string[];
  readonly long?: true;
}

/** Returns the members of an object by its schema; built once. */
export function partsOf(parts: Parts, value: string): readonly Part[] {
  const schema = parts.schemaOf(value);
  return schema === undefined ? [] : partsBySchema(parts)(schema);
}

const partsBySchema = memoize(({ field }: Parts) =>
  memoize((schema: z.ZodType): readonly Part[] => readParts(field, schema))
);

function readParts(field: string, schema: z.ZodType): Part[] {
  const { properties = {}, required = [] } = z.toJSONSchema(schema, { io: "input", unrepresentable: "any" });
  return Object.entries(properties).map(([part, given]): Part => {
    const member = given as MemberSchema;
    const choices = member.choices ?? member.enum;
    const schema = schemaFor(member);
    return {
      name: `${field}.${part}`,
      part,
      description: member.description ?? "",
      required: required.includes(part),
      readOnly: false,
      writeOnly: false,
      long: member.long === true,
      input: schema,
      output: schema,
      needs: [],
      select: () => [],
      read: () => undefined,
      fallback: member.default,
      filters: {},
      shown: {
        label: labelOf(part),
        ...(choices === undefined ? {} : { labels: Object.fromEntries(choices.map((one) => [one, one])) }),
      },
      ...(member.type === "array" ? { many: true } : {}),
    };
  });
}

function schemaFor({ type }: MemberSchema): z.ZodType {
  if (type === "number" || type === "integer") return z.int();
  if (type === "boolean") return z.boolean();
  return type === "array" ? z.array(z.string()) : z.string();
}

/** Returns the members of an object; none for other values. */
export function membersIn(value: unknown): Readonly<Values> {
  return isDictionary(value) ? value : {};
}

/** Returns the value of a member for the object; undefined to leave it out. */
export function partValue({ output }: Part, given: unknown): unknown {
  if (given === "" || given === null) return undefined;
  return typeof given === "string" && output instanceof z.ZodNumber && given.trim() !== ""
    ? Number.isFinite(Number(given)) ? Number(given) : given
    : given;
}

/** Returns whether the deciding field has one of its values. */
export function isChosen({ choices }: Parts, value: string): boolean {
  return choices().some(([one]) => one === value);
}

/** Returns the label of a value of the deciding field. */
export function choiceName({ choices }: Parts, value: string): string {
  return choices().find(([one]) => one === value)?.[1] ?? value;
}

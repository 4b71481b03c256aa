/** Variants that a JSON Schema allows, and those that a value uses. */

// deno-lint-ignore no-explicit-any -- tests walk through it
export type Schema = any;

/**
 * Returns the alternatives of a schema. Those of an object that requires one of several members are distinguished by
 * these.
 */
function alternatives(schema: Schema): Schema[] | undefined {
  if (schema.type === "object" && schema.anyOf !== undefined) {
    const { anyOf, ...rest } = schema;
    return anyOf.map(({ required }: { required: string[] }) => ({ ...rest, required }));
  }
  if (Array.isArray(schema.type)) return schema.type.map((type: string) => ({ ...schema, type }));
  return schema.anyOf ?? schema.oneOf;
}

/** Yields the names of all variants that a schema allows. */
export function* variantsOf(schema: Schema, at = "body"): Generator<string> {
  const forms = alternatives(schema);
  if (forms !== undefined) {
    for (const [index, form] of forms.entries()) yield* variantsOf(form, `${at}|${index}`);
  } else if (schema.enum !== undefined) {
    for (const value of schema.enum) yield `${at}=${value}`;
  } else if (schema.type === "boolean") yield* [`${at}=true`, `${at}=false`];
  else if (schema.type === "array") yield* variantsOf(schema.items, `${at}[]`);
  else if (schema.type === "object") {
    yield at;
    for (const [name, member] of Object.entries(members(schema))) yield* variantsOf(member, `${at}.${name}`);
  } else yield at;
}

/** Returns the members that only this variant has; `*` covers all others. */
function members({ properties = {}, required = [], additionalProperties }: Schema): Record<string, Schema> {
  const others = typeof additionalProperties === "object" ? { "*": additionalProperties } : {};
  // `{"id": 1}` or `{"slug": "x"}`: the members of the other forms are their own variants.
  const one = required.length === 1 && Object.keys(properties).length > 1 && properties.id !== undefined;
  return one ? { [required[0]]: properties[required[0]] } : { ...properties, ...others };
}

/** Adds the variants of a schema that a value uses to `used`. */
export function markVariants(schema: Schema, value: unknown, used: Set<string>, at = "body"): void {
  if (value === undefined) return;
  const forms = alternatives(schema);
  if (forms !== undefined) {
    for (const [index, form] of forms.entries()) {
      if (fits(form, value)) markVariants(form, value, used, `${at}|${index}`);
    }
  } else if (schema.enum !== undefined || schema.type === "boolean") used.add(`${at}=${value}`);
  else if (Array.isArray(value)) {
    for (const one of value) {
      markVariants(schema.items, one, used, `${at}[]`);
    }
  } else if (schema.type === "object") {
    used.add(at);
    for (const [name, member] of Object.entries(members(schema))) {
      const given = Object.entries(value as object)
        .filter(([key]) => name === "*" ? !Object.hasOwn(schema.properties ?? {}, key) : key === name);
      for (const [, one] of given) markVariants(member, one, used, `${at}.${name}`);
    }
  } else used.add(at);
}

/** Returns whether a value has the type, members, choices and format of a schema. */
function fits(schema: Schema, value: unknown): boolean {
  const forms = alternatives(schema);
  if (forms !== undefined) return forms.some((form) => fits(form, value));
  if (schema.enum !== undefined) return schema.enum.includes(value);
  if (schema.format === "date-time") return typeof value === "string" && value.includes("T");
  if (schema.format === "date") return typeof value === "string" && !value.includes("T");
  switch (schema.type) {
    case "null":
      return value === null;
    case "array":
      return Array.isArray(value);
    case "object":
      return typeof value === "object" && value !== null && !Array.isArray(value) &&
        (schema.required ?? []).every((name: string) => Object.hasOwn(value, name));
    case "integer":
      return Number.isInteger(value);
    default:
      return value !== null && schema.type === typeOf(value);
  }
}

/** Returns the type of a value as JSON Schema names it. */
function typeOf(value: unknown): string {
  return typeof value;
}

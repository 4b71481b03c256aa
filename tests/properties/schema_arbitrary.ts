/** Generates values that a JSON Schema of the API document allows. */

import fc from "fast-check";
import { isMailAddress } from "../../src/base/mail_address.ts";
import { document } from "../support/contract.ts";
import { CHAIN, pki } from "../support/pki.ts";

/** A JSON Schema as the document has it. */
// deno-lint-ignore no-explicit-any -- a tree of any shape
export type Schema = any;

/** Maximum number of characters of texts that are as long as their limit. */
const MAX_FILLED_CHARS = 5_000;
/** Maximum number of elements of lists that are as long as their limit. */
const MAX_ELEMENTS = 25;
/** Ids of the seeded rows, and a few more. */
const HIGHEST_ID = 15;

const PEMS = [
  pki.fresh.pem,
  pki.stored.acme.pem,
  `${pki.other.pem}${CHAIN}`,
  pki.root.pem,
  pki.request.pem,
  "",
];

/** Returns the schema to which a `$ref` refers. */
export function resolve(schema: Schema): Schema {
  if (schema?.$ref === undefined) return schema ?? {};
  const path = (schema.$ref as string).slice(2).split("/");
  return path.reduce((node, name) => node[name], document);
}

/** Returns values that a schema allows. */
export function valuesOf(given: Schema): fc.Arbitrary<unknown> {
  const schema = resolve(given);
  const { anyOf, oneOf, ...rest } = schema;
  const alternatives: Schema[] | undefined = anyOf ?? oneOf;
  if (alternatives !== undefined) {
    return fc.oneof(...alternatives.map((one) => valuesOf(merge(rest, resolve(one)))));
  }
  if ("const" in schema) return fc.constant(schema.const);
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum);
  if (Array.isArray(schema.type)) {
    return fc.oneof(...schema.type.map((type: string) => valuesOf({ ...schema, type })));
  }
  return ofType(schema);
}

function merge(a: Schema, b: Schema): Schema {
  const required = [...a.required ?? [], ...b.required ?? []];
  return { ...a, ...b, ...(required.length > 0 ? { required } : {}) };
}

function ofType(schema: Schema): fc.Arbitrary<unknown> {
  switch (schema.type) {
    case "null":
      return fc.constant(null);
    case "boolean":
      return fc.boolean();
    case "integer":
      return integers(schema);
    case "number":
      return fc.double({ noNaN: true, noDefaultInfinity: true });
    case "string":
      return texts(schema);
    case "array":
      return arrays(schema);
    case "object":
      return objects(schema);
    default:
      return fc.jsonValue({ maxDepth: 3 });
  }
}

function integers(
  { minimum: min = Number.MIN_SAFE_INTEGER, maximum: max = Number.MAX_SAFE_INTEGER }: Schema,
): fc.Arbitrary<number> {
  const all = fc.maxSafeInteger().filter((number) => number >= min && number <= max);
  const whole = Number.isSafeInteger(max - min) ? fc.integer(bounds(min, max)) : all;
  const small = bounds(Math.max(min, 0), Math.min(max, HIGHEST_ID));
  return small.min > small.max ? whole : fc.oneof({ weight: 3, arbitrary: fc.integer(small) }, whole);
}

/** Limits a range to the 32 bits that the generator of integers accepts. */
function bounds(min: number, max: number): { min: number; max: number } {
  return { min: Math.max(min, -0x80000000), max: Math.min(max, 0x7fffffff) };
}

/** Names of letters, digits, hyphens and underscores, in upper and lower case; the last one ends with a dot. */
const HOST_NAMES = fc.oneof(
  fc.stringMatching(/^[A-Za-z][A-Za-z0-9_-]{0,20}$/),
  fc.stringMatching(/^[a-z0-9]{1,20}(-[a-z0-9]{1,20})?\.(example|xn--bcher-kva\.example)\.?$/),
);

const FORMATS: Readonly<Record<string, fc.Arbitrary<string>>> = {
  "date-time": fc.record({
    at: fc.oneof(
      fc.date({ min: new Date("0001-01-02"), max: new Date("9999-12-30"), noInvalidDate: true }),
      fc.date({ min: new Date("2020-01-01"), max: new Date("2040-01-01"), noInvalidDate: true }),
    ),
    fraction: fc.constantFrom("", ".5", ".123456"),
    offset: fc.constantFrom("Z", "z", "+02:00", "-11:30", "+23:59"),
  }).map(({ at, fraction, offset }) => at.toISOString().slice(0, 19) + fraction + offset),
  "date": fc.date({ min: new Date("2000-01-01"), max: new Date("2100-01-01"), noInvalidDate: true })
    .map((at) => at.toISOString().slice(0, 10)),
  "uri": fc.tuple(fc.constantFrom("http", "https"), fc.stringMatching(/^[a-z0-9]{1,20}$/), fc.webPath())
    .map(([scheme, host, path]) => `${scheme}://${host}.example${path}`),
  "hostname": HOST_NAMES,
  "host": fc.oneof(HOST_NAMES, fc.ipV4(), fc.ipV6().filter((text) => !text.includes("."))),
  "email": fc.emailAddress().filter(isMailAddress),
  "ip-network": fc.oneof(
    fc.ipV4(),
    fc.ipV6().filter((text) => !text.includes(".")),
    fc.integer({ min: 0, max: 255 }).map((byte) => `10.${byte}.0.0/16`),
    fc.constant("2001:db8::/32"),
  ),
};

function texts(schema: Schema): fc.Arbitrary<string> {
  const { minLength = 0, maxLength = 200, pattern, format, not } = schema;
  const known = FORMATS[format];
  if (known !== undefined) return known.filter((text) => text.length <= maxLength);
  const plain = pattern === undefined || pattern.includes("\\u0000");
  const usual = plain
    ? fc.string({ minLength, maxLength: Math.min(maxLength, 60), unit: "binary" })
    : fc.stringMatching(new RegExp(pattern, "u"), { maxLength: Math.min(maxLength, 300) });
  const filled = plain && maxLength <= MAX_FILLED_CHARS
    ? [fc.constantFrom("x", "ü", "🙂", "\u0301").map((one) => one.repeat(maxLength))]
    : [];
  const words = plain
    ? [fc.string({ minLength: Math.max(1, minLength), maxLength: Math.min(maxLength, 60), unit: "grapheme" })]
    : [];
  const expressions = [pattern, not?.pattern === undefined ? undefined : `^(?!${not.pattern.slice(1)})`]
    .filter((one) => one !== undefined).map((one) => new RegExp(one, "u"));
  return fc.oneof(usual, ...filled, ...words).filter((text) => {
    const { length } = [...text];
    return length >= minLength && length <= maxLength && expressions.every((one) => one.test(text));
  });
}

function arrays(
  { prefixItems, items = {}, minItems = 0, maxItems = 1_000, uniqueItems }: Schema,
): fc.Arbitrary<unknown[]> {
  if (prefixItems !== undefined) return fc.tuple(...prefixItems.map(valuesOf));
  const one = valuesOf(items);
  const maxLength = Math.min(maxItems, MAX_ELEMENTS);
  const size = { minLength: minItems, maxLength, size: "-1" as const };
  return uniqueItems ? fc.uniqueArray(one, size) : fc.array(one, size);
}

function objects(schema: Schema): fc.Arbitrary<unknown> {
  const { properties = {}, required = [], additionalProperties, propertyNames, maxProperties = 100 } = schema;
  const known = fc.record(
    Object.fromEntries(
      Object.entries<Schema>(properties).map(([name, one]) => [name, named(name, one)]),
    ),
    { requiredKeys: required },
  );
  if (typeof additionalProperties !== "object") return known;
  const names = propertyNames === undefined
    ? fc.string({ minLength: 1, maxLength: 20 })
    : texts({ ...propertyNames, maxLength: Math.min(propertyNames.maxLength ?? 20, 20) });
  const others = fc.uniqueArray(fc.tuple(names, valuesOf(additionalProperties)), {
    maxLength: Math.min(maxProperties, 5),
    selector: ([name]) => name.toLowerCase(),
  });
  return fc.tuple(known, others).map(([own, more]) => ({ ...Object.fromEntries(more), ...own }));
}

/** Returns values for fields that random texts never fit, such as certificates. */
function named(name: string, schema: Schema): fc.Arbitrary<unknown> {
  const values = valuesOf(schema);
  if (name !== "pem_content" && name !== "issuer_chain") return values;
  return fc.oneof({ weight: 4, arbitrary: fc.constantFrom(...PEMS) }, values);
}

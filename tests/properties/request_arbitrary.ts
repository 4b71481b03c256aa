/** Requests of an operation: valid by the API document, slightly different, or completely different. */

import fc from "fast-check";
import type { Operation, Parameter } from "../../src/rest/operation.ts";
import { document } from "../support/contract.ts";
import { type Schema, valuesOf } from "./schema_arbitrary.ts";

/** Callers. */
export const ROLES = ["superuser", "auditor", "manager", "stranger", "nobody"] as const;
export type Role = typeof ROLES[number];

/** A request. */
export interface Case {
  readonly role: Role;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** JSON value; undefined for no body. */
  readonly body?: unknown;
  /** A body that is not JSON, sent instead. */
  readonly text?: string;
}

const ODD: fc.Arbitrary<unknown> = fc.oneof(
  fc.jsonValue({ maxDepth: 2 }),
  fc.constantFrom(null, "", " ", "\0", "x".repeat(5_000), -1, 0, 1.5, 1e308, 2 ** 53, "1", "null", [], {}, [
    [],
  ], [null]),
  fc.string({ unit: "binary", maxLength: 30 }),
);

/** Returns the schema of an operation's body; undefined if it has none. */
export function bodySchema(operation: Operation): Schema | undefined {
  const content = document.paths[operation.path][operation.method.toLowerCase()].requestBody?.content;
  return content?.["application/json"]?.schema ?? content?.["multipart/form-data"]?.schema;
}

/** Returns requests of an operation. */
export function casesOf(operation: Operation): fc.Arbitrary<Case> {
  const role = fc.oneof(
    { weight: 7, arbitrary: fc.constant<Role>("superuser") },
    { weight: 3, arbitrary: fc.constantFrom(...ROLES) },
  );
  const parts = { role, path: pathsOf(operation), headers: headersOf(operation) };
  const schema = bodySchema(operation);
  if (schema === undefined) return fc.record(parts);
  const valid = valuesOf(schema);
  const changed = fc.tuple(valid, fc.nat(), ODD).map(([value, place, odd]) => changeAt(value, place, odd));
  return fc.oneof(
    { weight: 6, arbitrary: fc.record({ ...parts, body: valid }) },
    { weight: 3, arbitrary: fc.record({ ...parts, body: changed }) },
    { weight: 1, arbitrary: fc.record({ ...parts, body: ODD }) },
    { weight: 1, arbitrary: fc.record({ ...parts, text: fc.string({ unit: "binary", maxLength: 40 }) }) },
  );
}

function pathsOf({ path, parameters }: Operation): fc.Arbitrary<string> {
  const id = fc.oneof(
    { weight: 8, arbitrary: fc.integer({ min: 1, max: 13 }).map(String) },
    { weight: 1, arbitrary: fc.constantFrom("0", "999999", "9007199254740993", "-1", "x", "1%00", "٣") },
  );
  const described = parameters?.() ?? [];
  const one = fc.oneof(...described.map(queryOf), fc.constant("unknown=1"));
  const query = described.length === 0
    ? fc.constantFrom("", "", "?unknown=1")
    : fc.array(one, { maxLength: 4 })
      .map((all) => all.length === 0 ? "" : `?${all.join("&")}`);
  return fc.tuple(id, query).map(([given, rest]) => path.replace("{id}", given) + rest);
}

function queryOf({ name, schema }: Parameter): fc.Arbitrary<string> {
  const examples = (schema as Schema).examples as unknown[] | undefined;
  const values = fc.oneof(
    { weight: 3, arbitrary: examples === undefined ? valuesOf(schema) : fc.constantFrom(...examples) },
    { weight: 1, arbitrary: fc.string({ unit: "binary", maxLength: 20 }) },
  );
  return values.map((value) => `${encodeURIComponent(name)}=${encodeURIComponent(String(value))}`);
}

function headersOf({ method }: Operation): fc.Arbitrary<Record<string, string>> {
  const name = method === "GET" ? "if-none-match" : "if-match";
  return fc.oneof(
    { weight: 9, arbitrary: fc.constant({}) },
    {
      weight: 1,
      arbitrary: fc.constantFrom("*", '"x"', 'W/"1"', "x", "").map((value) => ({ [name]: value })),
    },
  );
}

/** Returns the value with one of its parts replaced, removed or added. */
function changeAt(value: unknown, place: number, odd: unknown): unknown {
  if (typeof value !== "object" || value === null) return odd;
  const names = Object.keys(value);
  const [index, rest] = [place % (names.length + 2), Math.floor(place / (names.length + 2))];
  const name = names[index];
  if (name === undefined) return index === names.length ? odd : added(value, odd);
  const copy: Record<string, unknown> = Array.isArray(value) ? [...value] as never : { ...value };
  if (rest % 3 === 0) delete copy[name];
  else copy[name] = rest % 3 === 1 ? odd : changeAt(copy[name], Math.floor(rest / 3), odd);
  return Array.isArray(copy) ? copy.filter((one) => one !== undefined) : copy;
}

function added(value: object, odd: unknown): unknown {
  return Array.isArray(value) ? [...value, odd] : { ...value, unknown: odd };
}

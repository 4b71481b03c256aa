/**
 * Executes a planned query after its objects have been read: writes the selected members of each object. This
 * takes a fifth of the time of graphql-js, which resolves each value of each object separately. Errors, and
 * values that do not have the expected type, are left to graphql-js.
 */

import {
  GraphQLBoolean,
  GraphQLFloat,
  GraphQLInt,
  GraphQLList,
  GraphQLNonNull,
  type GraphQLObjectType,
  type GraphQLOutputType,
  GraphQLString,
} from "graphql";
import { memoize } from "../base/memoize.ts";
import { objectMaker } from "../db/mod.ts";
import type { Node } from "../resource/mod.ts";
import type { FormMember, ObjectForm, QueryPlan, RootPlan } from "./plan/mod.ts";
import { JSON_SCALAR, type Model, outputValue } from "./schema/mod.ts";

/** Thrown for a value that graphql-js must report or convert. */
class UnusualValue extends Error {}

/** Returns the result of a query; undefined if graphql-js must execute it, with the same answers. */
export async function executePlan(
  model: Model,
  { plan: { roots, hasMetaFields }, answer }: { plan: QueryPlan; answer: (key: string) => Promise<unknown> },
): Promise<{ data: Record<string, unknown> } | undefined> {
  if (hasMetaFields) return undefined;
  const keys = [...roots.keys()];
  const data = objectMaker(keys)();
  try {
    const answers = await Promise.all(keys.map(answer));
    for (const [index, [key, root]] of [...roots].entries()) data[key] = written(model, root, answers[index]);
  } catch {
    return undefined;
  }
  return { data };
}

function written(model: Model, root: RootPlan, answer: unknown): unknown {
  switch (root.kind) {
    case "list":
      return listWriter(model, root.form)(answer);
    case "total":
      return checkedBy(isInt, answer);
    case "one":
      return answer === null ? null : nodeWriter(model, root.form)(answer as Node);
  }
}

function listWriter(model: Model, form: ObjectForm): (nodes: unknown) => unknown[] {
  const write = nodeWriter(model, form);
  return (nodes) => (checkedBy(Array.isArray, nodes) as Node[]).map(write);
}

/**
 * Returns a function that writes objects with one selection. It writes each object once, because many others
 * may refer to it.
 */
function nodeWriter(model: Model, form: ObjectForm): (node: Node) => Record<string, unknown> {
  const type = model.schema.getType(form.type) as GraphQLObjectType;
  const shape = objectMaker(form.members.map(({ key }) => key));
  const members = form.members.map((member) => [member.key, memberWriter(model, type, member)] as const);
  const known = new Map<Node, Record<string, unknown>>();
  return (node) => {
    const earlier = known.get(node);
    if (earlier !== undefined) return earlier;
    const object = shape();
    for (const [key, write] of members) object[key] = write(node);
    known.set(node, object);
    return object;
  };
}

function memberWriter(model: Model, type: GraphQLObjectType, member: FormMember): (node: Node) => unknown {
  const { key } = member;
  switch (member.kind) {
    case "typename":
      return () => type.name;
    case "value": {
      const { name, field } = member;
      const isUsual = testOf((type.getFields()[name] as { type: GraphQLOutputType }).type);
      return ({ object }) => checkedBy(isUsual, outputValue(field, object[name]) ?? null);
    }
    case "ref": {
      const writers = new Map(
        [...member.forms].map(([resource, form]) => [resource, nodeWriter(model, form)]),
      );
      return ({ related }) => {
        const node = related[key] as Node | null;
        return node === null ? null : writers.get(node.resource)?.(node);
      };
    }
    case "list": {
      const write = listWriter(model, member.form);
      return ({ related }) => write(related[key]);
    }
    case "total":
      return ({ related }) => checkedBy(isInt, related[key]);
  }
}

function checkedBy(isUsual: (value: unknown) => boolean, value: unknown): unknown {
  if (isUsual(value)) return value;
  throw new UnusualValue();
}

/** Returns a test of whether graphql-js would write a value of a type unchanged. */
const testOf = memoize((type: GraphQLOutputType): (value: unknown) => boolean => {
  if (type instanceof GraphQLNonNull) {
    const test = testOf(type.ofType);
    return (value) => value !== null && test(value);
  }
  if (type instanceof GraphQLList) {
    const test = testOf(type.ofType);
    return (value) => value === null || Array.isArray(value) && value.every((each) => test(each));
  }
  switch (type) {
    case JSON_SCALAR:
      return () => true;
    case GraphQLInt:
      return (value) => value === null || isInt(value);
    case GraphQLFloat:
      return (value) => value === null || Number.isFinite(value);
    case GraphQLString:
      return (value) => value === null || typeof value === "string";
    case GraphQLBoolean:
      return (value) => value === null || typeof value === "boolean";
    default:
      return () => false;
  }
});

/** Returns whether a value is a 32-bit integer, which is all that GraphQL's Int allows. */
function isInt(value: unknown): boolean {
  return typeof value === "number" && (value | 0) === value;
}

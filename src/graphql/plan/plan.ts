/** Plans a query before anything is read: what to read, and how much it costs. */

import {
  type DocumentNode,
  type FieldNode,
  getArgumentValues,
  getOperationAST,
  getVariableValues,
  type GraphQLError,
  type GraphQLField,
  isObjectType,
} from "graphql";
import type { Context } from "../../auth/mod.ts";
import {
  GRAPHQL_LONG_TEXT_COST,
  GRAPHQL_SCHEMA_COST,
  GRAPHQL_TOTAL_COST,
  MAX_GRAPHQL_COST,
  MAX_GRAPHQL_ERRORS,
} from "../limits.ts";
import { type Condition, type RegexAllowance, regexAllowance } from "../../filters/mod.ts";
import type { ObjectQuery, RelationQuery, Resource, Slice } from "../../resource/mod.ts";
import type { Model } from "../schema/build.ts";
import type { SchemaField } from "../schema/members.ts";
import type { SchemaResource } from "../schema/names.ts";
import { type Arguments, readFilterArgument, type ReadOptions, readSlice } from "./arguments.ts";
import { collectFields, fragmentsOf, type Query } from "./collect_fields.ts";
import { badVariable, queryRefused } from "./errors.ts";
import { first } from "../../base/first.ts";

export type RootPlan =
  | { readonly kind: "list"; readonly objectQuery: ObjectQuery; readonly slice: Slice }
  | { readonly kind: "total"; readonly resource: Resource; readonly filter: Condition }
  | { readonly kind: "one"; readonly objectQuery: ObjectQuery; readonly id: number | undefined };

/** What to read for each key of the response. */
export type QueryPlan = ReadonlyMap<string, RootPlan>;

/** A query to be planned. */
export interface PlanInput {
  readonly document: DocumentNode;
  readonly operationName: string | null | undefined;
  readonly variables: Arguments;
  /** Whether errors about variables suggest similar names of the schema. */
  readonly suggestions: boolean;
  readonly ctx: Context;
}

interface Planning {
  readonly model: Model;
  readonly query: Query;
  readonly ctx: Context;
  readonly regexes: RegexAllowance;
  readonly errors: GraphQLError[];
  /**
   * Number of values counted so far, as if each list had one row. Limits the planning itself, because nested
   * fragments multiply.
   */
  visited: number;
  /** Number of rows of a list at the root without a limit. */
  readonly rootRows: number;
}

/** A value with its cost. */
interface WithCost<T> {
  readonly made: T;
  readonly cost: number;
}

class CostLimitError extends Error {}

/**
 * Plans a valid query. Returns undefined if no operation can be executed; the execution then reports why.
 * @returns The plan, or why there is none.
 */
export function planQuery(model: Model, input: PlanInput): QueryPlan | GraphQLError[] | undefined {
  const { document, operationName, variables: given, ctx } = input;
  const operation = getOperationAST(document, operationName);
  if (operation === null || operation === undefined) return undefined;
  const { errors, variableValues: variables } = getVariableValues(
    model.schema,
    operation.variableDefinitions ?? [],
    given,
    { maxErrors: MAX_GRAPHQL_ERRORS, hideSuggestions: !input.suggestions },
  );
  if (errors !== undefined) return errors.map(badVariable);
  const query: Query = { operation, fragments: fragmentsOf(document), variables };
  const { defaultPageSize, maxPageSize } = ctx.settings;
  // Lists without a limit are as long as the cost of the query allows.
  for (const rootRows of [maxPageSize, defaultPageSize]) {
    const planning: Planning = {
      model,
      query,
      ctx,
      regexes: regexAllowance(),
      errors: [],
      visited: 0,
      rootRows,
    };
    try {
      const { made, cost } = planRoots(planning);
      if (cost <= MAX_GRAPHQL_COST) return planning.errors.length > 0 ? planning.errors : made;
    } catch (error) {
      if (!(error instanceof CostLimitError)) throw error;
      break;
    }
  }
  return [queryRefused(TOO_COSTLY, { code: "QUERY_TOO_COSTLY" })];
}

const TOO_COSTLY =
  `Query may request more than ${MAX_GRAPHQL_COST} values (fields times rows). Use smaller limits or fewer fields.`;

function planRoots(planning: Planning): WithCost<QueryPlan> {
  const { model, query } = planning;
  const roots = new Map<string, RootPlan>();
  let sum = 0;
  const fields = collectFields([query.operation.selectionSet], { type: "Query", unions: [], query });
  for (const [key, nodes] of fields) {
    const node = first(nodes);
    const meaning = model.roots.get(node.name.value);
    if (meaning === undefined) {
      if (node.name.value === "__schema") sum += GRAPHQL_SCHEMA_COST;
      continue;
    }
    const { kind, entry } = meaning;
    const path = [key];
    const args = argumentsOf(planning, "Query", node);
    const options = optionsOf(planning, { entry, path });
    if (kind === "total") {
      roots.set(key, { kind, resource: entry.resource, filter: readFilterArgument(args, options) });
      sum += GRAPHQL_TOTAL_COST;
      continue;
    }
    const { made: objectQuery, cost } = planObjects(planning, { entry, nodes, unions: [], path });
    if (kind === "one") {
      roots.set(key, { kind, objectQuery, id: readId(args.id) });
      sum += cost;
      continue;
    }
    const slice = readSlice(args, { ...options, fallback: planning.rootRows });
    roots.set(key, { kind, objectQuery, slice });
    sum += cost * Math.max(1, slice.limit);
  }
  return { made: roots, cost: sum };
}

/** Returns the id. A text that is not a number is not the id of any object. */
function readId(id: unknown): number | undefined {
  return /^\d{1,15}$/.test(String(id)) ? Number(id) : undefined;
}

function argumentsOf({ model, query }: Planning, type: string, node: FieldNode): Arguments {
  const field = fieldOf(model, type, node.name.value);
  return field === undefined ? {} : getArgumentValues(field, node, query.variables);
}

function fieldOf({ schema }: Model, type: string, name: string): GraphQLField<unknown, unknown> | undefined {
  const found = schema.getType(type);
  return isObjectType(found) ? found.getFields()[name] : undefined;
}

function optionsOf(
  { ctx, regexes, errors }: Planning,
  { entry, path }: { entry: SchemaResource; path: readonly string[] },
): ReadOptions {
  return { resource: entry.resource, ctx, regexes, path, errors };
}

interface ObjectsCall {
  readonly entry: SchemaResource;
  readonly nodes: readonly FieldNode[];
  readonly unions: readonly string[];
  readonly path: readonly string[];
}

function planObjects(planning: Planning, { entry, nodes, unions, path }: ObjectsCall): WithCost<ObjectQuery> {
  const { resource, type } = entry;
  const selections = nodes.map((node) => node.selectionSet).filter((set) => set !== undefined);
  const fields = new Set<string>();
  const relations: RelationQuery[] = [];
  let cost = 1;
  for (const [key, same] of collectFields(selections, { type, unions, query: planning.query })) {
    if (++planning.visited > MAX_GRAPHQL_COST) throw new CostLimitError();
    const node = first(same);
    const member = planning.model.members.get(type)?.get(node.name.value);
    // The name of the type, which is not read.
    if (member === undefined) continue;
    if (member.kind === "value") {
      fields.add(member.name);
      cost += member.field?.long ? GRAPHQL_LONG_TEXT_COST : 1;
      continue;
    }
    if (member.kind === "ref") fields.add(requireField(member));
    const planned = planRelation(planning, { type, key, member, nodes: same, path: [...path, key] });
    relations.push(planned.made);
    cost += planned.cost;
  }
  return { made: { resource, fields: [...fields].sort(), relations }, cost };
}

function requireField({ relation }: Extract<SchemaField, { kind: "ref" }>): string {
  if (relation.kind === "one" || relation.kind === "any") return relation.field;
  throw new Error("A list is not a reference");
}

interface RelationCall {
  readonly type: string;
  readonly key: string;
  readonly member: Exclude<SchemaField, { kind: "value" }>;
  readonly nodes: readonly FieldNode[];
  readonly path: readonly string[];
}

function planRelation(
  planning: Planning,
  { type, key, member, nodes, path }: RelationCall,
): WithCost<RelationQuery> {
  if (member.kind === "ref") {
    const unions = member.union ? [unionName(planning, type, member.name)] : [];
    const plans = member.targets.map((entry) => planObjects(planning, { entry, nodes, unions, path }));
    return {
      made: { kind: "ref", key, relation: member.relation, queries: plans.map(({ made }) => made) },
      cost: Math.max(...plans.map(({ cost }) => cost)),
    };
  }
  const { relation, target: entry } = member;
  const args = argumentsOf(planning, type, first(nodes));
  const options = optionsOf(planning, { entry, path });
  if (member.kind === "total") {
    const filter = readFilterArgument(args, options);
    return { made: { kind: "total", key, relation, filter }, cost: GRAPHQL_TOTAL_COST };
  }
  const { made: query, cost } = planObjects(planning, { entry, nodes, unions: [], path });
  const slice = readSlice(args, { ...options, fallback: planning.ctx.settings.defaultPageSize });
  return { made: { kind: "list", key, relation, query, slice }, cost: cost * Math.max(1, slice.limit) };
}

function unionName({ model }: Planning, type: string, field: string): string {
  return String(fieldOf(model, type, field)?.type);
}

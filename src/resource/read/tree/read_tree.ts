/**
 * Reads objects with related objects. Each level below the first is one statement, whatever the number of
 * rows: its relations are parts of one UNION. A row that the caller may not view is null, or missing from its
 * list.
 */

import { Buffer } from "node:buffer";
import { type SQL, sql } from "drizzle-orm";
import type { Context } from "../../../auth/mod.ts";
import { first } from "../../../base/first.ts";
import { readBatch, requirePackedBudget, type Row } from "../../../db/mod.ts";
import { isDictionary } from "../../../filters/mod.ts";
import type { Resource } from "../../model/definition.ts";
import type { Brief } from "../../model/objects.ts";
import { getObject } from "../get.ts";
import { listObjects } from "../list.ts";
import { longBytes, longFields, measuredFields, type TextBudget } from "../long_texts.ts";
import { selectList } from "../select.ts";
import { type Node, type ObjectQuery, type RelationQuery, selectionOf, type Slice } from "./object_query.ts";
import { listPart, rowsPart, totalPart, type UnionPart } from "./union_parts.ts";

/**
 * Returns the size of all texts in the response that may be large. A row to which several others refer is
 * written at each place.
 */
function textBytes(nodes: readonly Node[], known: Map<Node, number>): number {
  let sum = 0;
  for (const node of nodes) {
    let size = known.get(node);
    if (size === undefined) known.set(node, size = bytesOfNode(node, known));
    sum += size;
  }
  return sum;
}

function bytesOfNode({ object, related, resource }: Node, known: Map<Node, number>): number {
  let size = 0;
  for (const name in object) {
    const field = resource.fields[name];
    if (field?.long || field?.size?.large) size += bytesOf(object[name]);
  }
  for (const key in related) {
    const one = related[key];
    if (Array.isArray(one)) size += textBytes(one, known);
    else if (typeof one === "object" && one !== null) size += known.get(one) ?? textBytes([one], known);
  }
  return size;
}

function bytesOf(value: unknown): number {
  if (typeof value === "string") return Buffer.byteLength(value);
  return Array.isArray(value) ? value.reduce((sum, text) => sum + bytesOf(text), 0) : 0;
}

/** Maximum number of parts in a statement; SQLite's limit is 500. */
const MAX_PARTS = 50;

/** What is needed to read a tree. */
interface TreeCall {
  readonly ctx: Context;
  /** Shared by all trees of a request. */
  readonly budget: TextBudget;
}

/** Reads a page of objects. Errors: forbidden, too_large. Two or three statements, and one per level below. */
export async function listTree(
  { objectQuery, slice, ...call }: TreeCall & { objectQuery: ObjectQuery; slice: Slice },
): Promise<Node[]> {
  const { ctx, budget } = call;
  const { resource } = objectQuery;
  return await inTurn(call, objectQuery, async () => {
    const query = { ...slice, selection: selectionOf(objectQuery) };
    const { results } = await listObjects({ ctx, resource, query, spent: budget.spent });
    return results.map((object) => nodeOf(resource, object));
  });
}

/** Reads one object. Errors: forbidden, not_found, too_large. One statement, and one per level below. */
export async function getTree(
  { objectQuery, id, ...call }: TreeCall & { objectQuery: ObjectQuery; id: number },
): Promise<Node> {
  const { ctx } = call;
  const { resource } = objectQuery;
  return first(
    await inTurn(call, objectQuery, async () => {
      const { object } = await getObject({ ctx, resource, id, selection: selectionOf(objectQuery) });
      return [nodeOf(resource, object)];
    }),
  );
}

/** Reads the nodes of a root and everything below them, after the other roots of the request. */
function inTurn(call: TreeCall, objectQuery: ObjectQuery, read: () => Promise<Node[]>): Promise<Node[]> {
  return call.budget.inTurn(async () => {
    const nodes = await read();
    await readRelations(call, [{ objectQuery, nodes }]);
    call.budget.spend(textBytes(nodes, new Map()), [...namesOf(objectQuery)]);
    return nodes;
  });
}

/** Returns the names of fields in an object query and below it. */
function namesOf(objectQuery: ObjectQuery): Set<string> {
  const own = measuredFields(objectQuery.resource, selectionOf(objectQuery)).map(({ name }) => name);
  const below = objectQuery.relations.flatMap((relation) => {
    if (relation.kind === "total") return [];
    return relation.kind === "list" ? [relation.query] : relation.queries;
  });
  return new Set([...own, ...below.flatMap((one) => [...namesOf(one)])]);
}

function nodeOf(resource: Resource, object: Brief): Node {
  return { resource, object, related: {} };
}

/** The nodes of an object query whose relations were not read yet. */
interface Level {
  readonly objectQuery: ObjectQuery;
  readonly nodes: readonly Node[];
}

/** A row of the UNION. */
type PartRow = Row & { part: number; parent: number; position: number; packed: string | null };

/** A part of the UNION, and a function that processes its rows and adds the next level. */
interface Job {
  readonly part: UnionPart | undefined;
  /** The query of the rows; absent for counts. */
  readonly objectQuery?: ObjectQuery;
  readonly take: (rows: readonly PartRow[]) => void;
}

async function readRelations(call: TreeCall, first: readonly Level[]): Promise<void> {
  let level = first;
  while (level.length > 0) {
    const next: Level[] = [];
    const jobs: Job[] = [];
    for (const { objectQuery, nodes } of level) {
      if (nodes.length === 0) continue;
      for (const relationQuery of objectQuery.relations) {
        jobs.push(...await jobsOf(call.ctx, { relationQuery, nodes, next }));
      }
    }
    await run(call, jobs);
    level = next;
  }
}

/** Runs the parts of a level and passes each job its rows. */
async function run(call: TreeCall, jobs: readonly Job[]): Promise<void> {
  const { ctx } = call;
  await requireLevelBudget(call, jobs);
  const parts = jobs.flatMap(({ part }, index) => part === undefined ? [] : [part(index)]);
  const statements: SQL<PartRow>[] = [];
  for (let from = 0; from < parts.length; from += MAX_PARTS) {
    statements.push(sql<PartRow>`${sql.join(parts.slice(from, from + MAX_PARTS), sql` UNION ALL `)}`);
  }
  const rows: PartRow[][] = jobs.map(() => []);
  const answers = statements.length === 0 ? [] : (await readBatch(ctx.database, statements)).flat();
  requirePackedBudget(answers);
  for (const row of answers) rows[row.part]?.push(row);
  for (const [index, { take }] of jobs.entries()) take(rows[index] ?? []);
}

/** Refuses a level whose long texts exceed the budget. One statement, none without long texts. Errors: too_large. */
async function requireLevelBudget({ ctx, budget }: TreeCall, jobs: readonly Job[]): Promise<void> {
  const names = new Set<string>();
  const sizes = jobs.flatMap(({ part, objectQuery }): SQL[] => {
    if (part === undefined || objectQuery === undefined) return [];
    const fields = longFields(objectQuery.resource, selectionOf(objectQuery));
    const bytes = longBytes(objectQuery.resource, fields);
    if (bytes === undefined) return [];
    for (const { name } of fields) names.add(name);
    return [sql`(SELECT coalesce(sum(bytes), 0) FROM (${part(0, sql`${bytes} AS bytes`)}))`];
  });
  if (sizes.length === 0) return;
  const [row] = await ctx.database.all<{ bytes: number }>(sql`SELECT ${sql.join(sizes, sql` + `)} AS bytes`);
  budget.require(row?.bytes ?? 0, [...names]);
}

type Call<Kind extends RelationQuery["kind"]> = {
  relationQuery: Extract<RelationQuery, { kind: Kind }>;
  nodes: readonly Node[];
  next: Level[];
};

async function jobsOf(
  ctx: Context,
  { relationQuery, nodes, next }: { relationQuery: RelationQuery; nodes: readonly Node[]; next: Level[] },
): Promise<Job[]> {
  switch (relationQuery.kind) {
    case "ref":
      return refJobs(ctx, { relationQuery, nodes, next });
    case "list":
      return [await listJob(ctx, { relationQuery, nodes, next })];
    case "total":
      return [await totalJob(ctx, { relationQuery, nodes, next })];
  }
}

/**
 * Returns a job for each possible target resource. A row to which several parents refer is read only once.
 */
function refJobs(ctx: Context, { relationQuery, nodes, next }: Call<"ref">): Job[] {
  const { key, relation, queries } = relationQuery;
  for (const { related } of nodes) related[key] = null;
  return queries.map((objectQuery) => {
    const parents = new Map<number, Node[]>();
    for (const node of nodes) {
      const id = referred(node, relation, objectQuery.resource);
      if (id !== null) append(parents, id, node);
    }
    const ids = [...parents.keys()];
    return {
      part: rowsPart(ctx, { query: objectQuery, ids }),
      objectQuery,
      take: (rows) => {
        const children = readNodes(ctx, objectQuery, rows);
        for (const [index, { parent }] of rows.entries()) {
          for (const { related } of parents.get(parent) ?? []) related[key] = children[index] ?? null;
        }
        next.push({ objectQuery, nodes: children });
      },
    };
  });
}

/** Returns the id to which a node refers, if the target belongs to this resource. */
function referred(
  { object }: Node,
  relation: Extract<RelationQuery, { kind: "ref" }>["relation"],
  resource: Resource,
): number | null {
  if (relation.kind !== "one" && relation.kind !== "any") {
    throw new Error("A list relation has no reference field");
  }
  const reference = object[relation.field];
  const id = isDictionary(reference) && reference.type === resource.objectType ? reference.id : reference;
  return typeof id === "number" ? id : null;
}

async function listJob(ctx: Context, { relationQuery, nodes, next }: Call<"list">): Promise<Job> {
  const { key, query: objectQuery } = relationQuery;
  const byId = parentsOf(nodes);
  return {
    part: await listPart(ctx, { ...relationQuery, parents: [...byId.keys()] }),
    objectQuery,
    take: (rows) => {
      const lists = new Map<number, Node[]>([...byId.keys()].map((id) => [id, []]));
      // A UNION has no defined order.
      const ordered = rows.toSorted((a, b) => a.position - b.position);
      const children = readNodes(ctx, objectQuery, ordered);
      for (const [index, child] of children.entries()) lists.get(ordered[index]?.parent ?? 0)?.push(child);
      for (const [id, parents] of byId) {
        for (const { related } of parents) related[key] = lists.get(id) ?? [];
      }
      next.push({ objectQuery, nodes: children });
    },
  };
}

async function totalJob(ctx: Context, { relationQuery, nodes }: Call<"total">): Promise<Job> {
  const byId = parentsOf(nodes);
  return {
    part: await totalPart(ctx, { ...relationQuery, parents: [...byId.keys()] }),
    take: (rows) => {
      const totals = new Map(rows.map((row) => [row.parent, row.position]));
      for (const [id, parents] of byId) {
        for (const { related } of parents) related[relationQuery.key] = totals.get(id) ?? 0;
      }
    },
  };
}

/** Groups nodes by id, because several lists may contain the same row. */
function parentsOf(nodes: readonly Node[]): Map<number, Node[]> {
  const byId = new Map<number, Node[]>();
  for (const node of nodes) append(byId, node.object.id, node);
  return byId;
}

function append(lists: Map<number, Node[]>, id: number, node: Node): void {
  const list = lists.get(id);
  if (list === undefined) lists.set(id, [node]);
  else list.push(node);
}

function readNodes(ctx: Context, objectQuery: ObjectQuery, rows: readonly PartRow[]): Node[] {
  const { resource } = objectQuery;
  const objects = selectList(resource, selectionOf(objectQuery), ctx).read(rows, ctx);
  return objects.map((object) => nodeOf(resource, object));
}

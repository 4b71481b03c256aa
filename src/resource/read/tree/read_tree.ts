/**
 * Reads objects with related objects. Each level below the first is one statement, however many rows it has: its
 * relations are parts of one UNION. A row that the caller may not view is null, or missing from its list.
 */

import { type SQL, sql } from "drizzle-orm";
import type { Context } from "../../../auth/mod.ts";
import type { Row } from "../../../db/mod.ts";
import type { Resource } from "../../model/definition.ts";
import { getObject } from "../get.ts";
import { listObjects } from "../list.ts";
import { longBytes, longFields, refuseAbove } from "../long_texts.ts";
import { rowReader, selectList } from "../select.ts";
import { listPart, rowsPart, totalPart, type UnionPart } from "./union_parts.ts";
import { type Branch, type Node, type RelationQuery, selectionOf, type Slice } from "./branch.ts";

/** Maximum number of parts in a statement; SQLite's limit is 500. */
const MAX_PARTS = 50;

/** Reads a page of objects. Errors: forbidden. Two or three statements, and one per level below. */
export async function listTree(
  { ctx, branch, slice }: { ctx: Context; branch: Branch; slice: Slice },
): Promise<Node[]> {
  const { resource } = branch;
  const { results } = await listObjects({
    ctx,
    resource,
    query: { ...slice, selection: selectionOf(branch) },
  });
  const nodes = results.map((object) => nodeOf(resource, object));
  await readRelations(ctx, [{ branch, nodes }]);
  return nodes;
}

/** Reads one object. Errors: forbidden, not_found. One statement, and one per level below. */
export async function getTree(
  { ctx, branch, id }: { ctx: Context; branch: Branch; id: number },
): Promise<Node> {
  const { resource } = branch;
  const { object } = await getObject({ ctx, resource, id, selection: selectionOf(branch) });
  const node = nodeOf(resource, object);
  await readRelations(ctx, [{ branch, nodes: [node] }]);
  return node;
}

function nodeOf(resource: Resource, object: Record<string, unknown>): Node {
  return { resource, object, related: {} };
}

/** The nodes of a branch whose relations have not been read yet. */
interface Level {
  readonly branch: Branch;
  readonly nodes: readonly Node[];
}

/** A row of the UNION. */
interface PartRow extends Row {
  part: number;
  parent: number;
  position: number;
  packed: string | null;
}

/** A part of the UNION, and a function that processes its rows and adds the next level. */
interface Job {
  readonly part: UnionPart | undefined;
  /** The branch of the rows; absent for counts. */
  readonly branch?: Branch;
  readonly take: (rows: readonly PartRow[]) => void;
}

async function readRelations(ctx: Context, first: readonly Level[]): Promise<void> {
  let level = first;
  while (level.length > 0) {
    const next: Level[] = [];
    const jobs: Job[] = [];
    for (const { branch, nodes } of level) {
      if (nodes.length === 0) continue;
      for (const relationQuery of branch.relations) {
        jobs.push(...await jobsOf(ctx, { relationQuery, nodes, next }));
      }
    }
    await run(ctx, jobs);
    level = next;
  }
}

/** Runs the parts of a level and passes each job its rows. */
async function run(ctx: Context, jobs: readonly Job[]): Promise<void> {
  await requireLevelBudget(ctx, jobs);
  const parts = jobs.flatMap(({ part }, index) => part === undefined ? [] : [part(index)]);
  const statements: SQL[] = [];
  for (let from = 0; from < parts.length; from += MAX_PARTS) {
    statements.push(sql.join(parts.slice(from, from + MAX_PARTS), sql` UNION ALL `));
  }
  const rows: PartRow[][] = jobs.map(() => []);
  const answers = statements.length === 0 ? [] : await ctx.database.batch(statements);
  for (const row of answers.flat() as PartRow[]) rows[row.part]?.push(row);
  for (const [index, { take }] of jobs.entries()) take(rows[index] ?? []);
}

/** Refuses a level whose long texts exceed the budget. One statement, none without long texts. Errors: too_large. */
async function requireLevelBudget(ctx: Context, jobs: readonly Job[]): Promise<void> {
  const names = new Set<string>();
  const sizes = jobs.flatMap(({ part, branch }): SQL[] => {
    if (part === undefined || branch === undefined) return [];
    const fields = longFields(branch.resource, selectionOf(branch));
    const bytes = longBytes(branch.resource, fields);
    if (bytes === undefined) return [];
    for (const { name } of fields) names.add(name);
    return [sql`(SELECT coalesce(sum(bytes), 0) FROM (${part(0, sql`${bytes} AS bytes`)}))`];
  });
  if (sizes.length === 0) return;
  const [row] = await ctx.database.all<{ bytes: number }>(sql`SELECT ${sql.join(sizes, sql` + `)} AS bytes`);
  refuseAbove(row?.bytes ?? 0, {
    names: [...names],
    advice: 'Request fewer rows with a smaller "limit", or leave these fields out.',
  });
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

/** Returns a job for each possible target resource. A row to which several parents refer is read once. */
function refJobs(ctx: Context, { relationQuery, nodes, next }: Call<"ref">): Job[] {
  const { key, relation, branches } = relationQuery;
  for (const { related } of nodes) related[key] = null;
  return branches.map((branch) => {
    const parents = new Map<number, Node[]>();
    for (const node of nodes) {
      const id = referred(node, relation, branch.resource);
      if (id !== null) append(parents, id, node);
    }
    const ids = [...parents.keys()];
    return {
      part: rowsPart(ctx, { branch, ids }),
      branch,
      take: (rows) => {
        const read = nodeReader(ctx, branch);
        const children = rows.map((row) => {
          const child = read(row);
          for (const { related } of parents.get(row.parent) ?? []) related[key] = child;
          return child;
        });
        next.push({ branch, nodes: children });
      },
    };
  });
}

/** Returns the id to which a node refers, if the target is of this resource. */
function referred(
  { object }: Node,
  relation: Extract<RelationQuery, { kind: "ref" }>["relation"],
  resource: Resource,
): number | null {
  if (relation.kind === "one") return object[relation.field] as number | null;
  if (relation.kind !== "any") throw new Error("A list relation has no reference field");
  const reference = object[relation.field] as { type: string; id: number } | null;
  return reference?.type === resource.objectType ? reference.id : null;
}

async function listJob(ctx: Context, { relationQuery, nodes, next }: Call<"list">): Promise<Job> {
  const { key, branch } = relationQuery;
  const byId = parentsOf(nodes);
  return {
    part: await listPart(ctx, { ...relationQuery, parents: [...byId.keys()] }),
    branch,
    take: (rows) => {
      const lists = new Map<number, Node[]>([...byId.keys()].map((id) => [id, []]));
      const read = nodeReader(ctx, branch);
      // A UNION has no defined order.
      const children = [...rows].sort((a, b) => a.position - b.position).map((row) => {
        const child = read(row);
        lists.get(row.parent)?.push(child);
        return child;
      });
      for (const [id, parents] of byId) {
        for (const { related } of parents) related[key] = lists.get(id) ?? [];
      }
      next.push({ branch, nodes: children });
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

/** Groups nodes by id: several lists may contain the same row. */
function parentsOf(nodes: readonly Node[]): Map<number, Node[]> {
  const byId = new Map<number, Node[]>();
  for (const node of nodes) {
    append(byId, node.object.id as number, node);
  }
  return byId;
}

function append(lists: Map<number, Node[]>, id: number, node: Node): void {
  const list = lists.get(id);
  if (list === undefined) lists.set(id, [node]);
  else list.push(node);
}

function nodeReader(ctx: Context, branch: Branch): (row: PartRow) => Node {
  const { resource } = branch;
  const selection = selectionOf(branch);
  const { unpack } = selectList(resource, selection, ctx);
  const read = rowReader(resource, selection, ctx);
  return (row) => nodeOf(resource, read(unpack([row])[0] as Row));
}

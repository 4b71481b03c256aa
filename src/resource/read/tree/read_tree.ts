/**
 * Reads objects with what hangs on them. Each level below the first is one statement, however many rows there are:
 * its relations are arms of one UNION. A row that the caller may not view is null, or missing from its list.
 */

import { type SQL, sql } from "drizzle-orm";
import type { Context } from "../../../auth/mod.ts";
import type { Row } from "../../../db/mod.ts";
import type { Resource } from "../../model/definition.ts";
import { getObject } from "../get.ts";
import { listObjects } from "../list.ts";
import { rowReader, selectList } from "../select.ts";
import { type Arm, listArm, rowsArm, totalArm } from "./arms.ts";
import { type Branch, type Node, selectionOf, type Slice, type Twig } from "./branch.ts";

/** Arms of one statement; SQLite takes some five hundred. */
const MAX_ARMS = 50;

/** A page of objects. Errors: forbidden. Two or three statements, and one for each level below. */
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
  await grow(ctx, [{ branch, nodes }]);
  return nodes;
}

/** One object. Errors: forbidden, not_found. One statement, and one for each level below. */
export async function getTree(
  { ctx, branch, id }: { ctx: Context; branch: Branch; id: number },
): Promise<Node> {
  const { resource } = branch;
  const { object } = await getObject({ ctx, resource, id, selection: selectionOf(branch) });
  const node = nodeOf(resource, object);
  await grow(ctx, [{ branch, nodes: [node] }]);
  return node;
}

function nodeOf(resource: Resource, object: Record<string, unknown>): Node {
  return { resource, object, related: {} };
}

/** Rows of one branch, before what hangs on them was read. */
interface Growth {
  readonly branch: Branch;
  readonly nodes: readonly Node[];
}

/** A row of any arm. */
interface ArmRow extends Row {
  arm: number;
  parent: number;
  place: number;
  packed: string | null;
}

/** An arm with what becomes of its rows; gives the next level. */
interface Job {
  readonly arm: Arm | undefined;
  readonly take: (rows: readonly ArmRow[]) => void;
}

async function grow(ctx: Context, first: readonly Growth[]): Promise<void> {
  let level = first;
  while (level.length > 0) {
    const next: Growth[] = [];
    const jobs: Job[] = [];
    for (const { branch, nodes } of level) {
      if (nodes.length === 0) continue;
      for (const twig of branch.twigs) jobs.push(...await jobsOf(ctx, { twig, nodes, next }));
    }
    await run(ctx, jobs);
    level = next;
  }
}

/** Sends the arms of a level, and hands each job its rows. */
async function run(ctx: Context, jobs: readonly Job[]): Promise<void> {
  const arms = jobs.flatMap(({ arm }, index) => arm === undefined ? [] : [arm(index)]);
  const statements: SQL[] = [];
  for (let from = 0; from < arms.length; from += MAX_ARMS) {
    statements.push(sql.join(arms.slice(from, from + MAX_ARMS), sql` UNION ALL `));
  }
  const rows: ArmRow[][] = jobs.map(() => []);
  const answers = statements.length === 0 ? [] : await ctx.database.batch(statements);
  for (const row of answers.flat() as ArmRow[]) rows[row.arm]?.push(row);
  for (const [index, { take }] of jobs.entries()) take(rows[index] ?? []);
}

type Call<Kind extends Twig["kind"]> = {
  twig: Extract<Twig, { kind: Kind }>;
  nodes: readonly Node[];
  next: Growth[];
};

async function jobsOf(
  ctx: Context,
  { twig, nodes, next }: { twig: Twig; nodes: readonly Node[]; next: Growth[] },
): Promise<Job[]> {
  switch (twig.kind) {
    case "ref":
      return refJobs(ctx, { twig, nodes, next });
    case "list":
      return [await listJob(ctx, { twig, nodes, next })];
    case "total":
      return [await totalJob(ctx, { twig, nodes, next })];
  }
}

/** One job for each resource that may be meant. Rows that several parents refer to are read and kept once. */
function refJobs(ctx: Context, { twig, nodes, next }: Call<"ref">): Job[] {
  const { key, relation, branches } = twig;
  for (const { related } of nodes) related[key] = null;
  return branches.map((branch) => {
    const parents = new Map<number, Node[]>();
    for (const node of nodes) {
      const id = referred(node, relation, branch.resource);
      if (id !== null) append(parents, id, node);
    }
    const ids = [...parents.keys()];
    return {
      arm: rowsArm(ctx, { branch, ids }),
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

/** The id that a node refers to, if it is of this resource. */
function referred(
  { object }: Node,
  relation: Extract<Twig, { kind: "ref" }>["relation"],
  resource: Resource,
): number | null {
  if (relation.kind === "one") return object[relation.field] as number | null;
  if (relation.kind !== "any") throw new Error("A list is no reference");
  const reference = object[relation.field] as { type: string; id: number } | null;
  return reference?.type === resource.objectType ? reference.id : null;
}

async function listJob(ctx: Context, { twig, nodes, next }: Call<"list">): Promise<Job> {
  const { key, branch } = twig;
  const byId = parentsOf(nodes);
  return {
    arm: await listArm(ctx, { ...twig, parents: [...byId.keys()] }),
    take: (rows) => {
      const lists = new Map<number, Node[]>([...byId.keys()].map((id) => [id, []]));
      const read = nodeReader(ctx, branch);
      // No UNION promises an order.
      const children = [...rows].sort((a, b) => a.place - b.place).map((row) => {
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

async function totalJob(ctx: Context, { twig, nodes }: Call<"total">): Promise<Job> {
  const byId = parentsOf(nodes);
  return {
    arm: await totalArm(ctx, { ...twig, parents: [...byId.keys()] }),
    take: (rows) => {
      const totals = new Map(rows.map((row) => [row.parent, row.place]));
      for (const [id, parents] of byId) {
        for (const { related } of parents) related[twig.key] = totals.get(id) ?? 0;
      }
    },
  };
}

/** Nodes by id: the same row may stand in several lists. */
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

function nodeReader(ctx: Context, branch: Branch): (row: ArmRow) => Node {
  const { resource } = branch;
  const selection = selectionOf(branch);
  const { unpack } = selectList(resource, selection, ctx);
  const read = rowReader(resource, selection, ctx);
  return (row) => nodeOf(resource, read(unpack([row])[0] as Row));
}

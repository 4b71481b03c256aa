/** Resolves the root fields of a planned query. */

import type { Context } from "../auth/mod.ts";
import { AppError, stackOf } from "../base/errors.ts";
import { countObjects, type Node, type ObjectQuery, type Slice, TextBudget } from "../resource/mod.ts";
import { getTree, listTree } from "../resource/read/tree/mod.ts";
import { errorOf, maskedError } from "./errors.ts";
import type { QueryPlan, RootPlan } from "./plan/mod.ts";

/** A list that its limit has cut, by its path of keys in the response: `certificate_list.assignments`. */
export type CutLists = Map<string, { readonly limit: number }>;

/**
 * Returns a function that answers each root field by its key, once. It throws errors that the client may see, and adds
 * the lists to `cut` that have more rows although the query does not say how many it expects.
 */
export function rootResolver(
  ctx: Context,
  plan: QueryPlan,
  cut: CutLists,
): (key: string) => Promise<unknown> {
  const budget = new TextBudget();
  const answers = new Map<string, Promise<unknown>>();
  const answer = async (key: string): Promise<unknown> => {
    const root = plan.get(key);
    if (root === undefined) throw new Error(`No plan for "${key}"`);
    try {
      const found = await read({ ctx, budget }, root);
      if (root.kind === "list" && Array.isArray(found)) cutList(found, { path: key, ...root }, cut);
      if (root.kind === "one" && isNode(found)) {
        cutRelations([found], { path: key, objectQuery: root.objectQuery }, cut);
      }
      return found;
    } catch (error) {
      if (error instanceof AppError) {
        if (error.code === "not_found") return null;
        throw errorOf(error);
      }
      ctx.log.log("error", "defect", { request_id: ctx.requestId, error: stackOf(error) });
      throw maskedError(ctx.requestId);
    }
  };
  return (key) => {
    const made = answers.get(key) ?? answer(key);
    answers.set(key, made);
    return made;
  };
}

/** Where nodes are in the response, and what was read of them. */
interface Place {
  readonly path: string;
  readonly objectQuery: ObjectQuery;
}

function isNode(found: unknown): found is Node {
  return typeof found === "object" && found !== null && "related" in found;
}

/** Removes the row beyond the limit of a list, and of all lists in its rows. */
function cutList(nodes: Node[], place: Place & { readonly slice: Slice }, cut: CutLists): void {
  const { limit } = place.slice;
  if (nodes.length > limit) {
    nodes.length = limit;
    cut.set(place.path, { limit });
  }
  cutRelations(nodes, place, cut);
}

function cutRelations(nodes: readonly Node[], { path: above, objectQuery }: Place, cut: CutLists): void {
  for (const relation of objectQuery.relations) {
    if (relation.kind === "total" || relation.kind === "ref" && !relation.queries.some(hasList)) continue;
    const path = `${above}.${relation.key}`;
    for (const { related } of nodes) {
      const found = related[relation.key];
      if (relation.kind === "list" && Array.isArray(found)) {
        cutList(found, { path, slice: relation.slice, objectQuery: relation.query }, cut);
      } else if (relation.kind === "ref" && isNode(found)) {
        const query = relation.queries.find(({ resource }) => resource === found.resource);
        if (query !== undefined) cutRelations([found], { path, objectQuery: query }, cut);
      }
    }
  }
}

function hasList({ relations }: ObjectQuery): boolean {
  return relations.some((relation) =>
    relation.kind === "list" || relation.kind === "ref" && relation.queries.some(hasList)
  );
}

function read(call: { ctx: Context; budget: TextBudget }, root: RootPlan): Promise<unknown> {
  switch (root.kind) {
    case "list":
      return listTree({ ...call, ...root });
    case "total":
      return countObjects({ ...call, ...root });
    case "one":
      return root.id === undefined
        ? Promise.resolve(null)
        : getTree({ ...call, objectQuery: root.objectQuery, id: root.id });
  }
}

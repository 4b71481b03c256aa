/** Resolves the root fields of a planned query. */

import type { Context } from "../auth/mod.ts";
import { AppError, stackOf } from "../base/errors.ts";
import { countObjects, TextBudget } from "../resource/mod.ts";
import { getTree, listTree } from "../resource/read/tree/mod.ts";
import { errorOf, maskedError } from "./errors.ts";
import type { QueryPlan, RootPlan } from "./plan/mod.ts";

/**
 * Returns a function that answers each root field by its key, once. It throws errors that the client may see.
 */
export function rootResolver(ctx: Context, { roots }: QueryPlan): (key: string) => Promise<unknown> {
  const budget = new TextBudget();
  const answers = new Map<string, Promise<unknown>>();
  const answer = async (key: string): Promise<unknown> => {
    const root = roots.get(key);
    if (root === undefined) throw new Error(`No plan for "${key}"`);
    try {
      return await read({ ctx, budget }, root);
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

/** Sets the owner of new saved views, and validates their queries. */

import { AppError, type FieldErrors } from "../../base/errors.ts";
import { saved_views } from "../../db/schema/mod.ts";
import { quoteInput } from "../../filters/mod.ts";
import { parseListQuery, refuse, resourceOfType, type WriteStep } from "../../resource/mod.ts";
import { keepQuota } from "../accounts/users/mod.ts";

/** Characters of a query: as long as that of an address. */
export const MAX_QUERY_CHARS = 4_000;
/** Saved views of one user: far more than a menu can show. */
export const MAX_SAVED_VIEWS_PER_USER = 200;
/** Parameters that only pages know. */
const PAGE_PARAMETERS = ["columns", "show"];

/** Makes the caller the owner of what they create, checks queries as the list would, and keeps the quota. */
export async function prepareViews({ ctx, tx, drafts }: WriteStep): Promise<void> {
  for (const draft of drafts) {
    if (draft.before === undefined) {
      if (ctx.actor.userId === null) refuse(draft, "user", "A saved view belongs to a user.");
      else draft.row.user_id = ctx.actor.userId;
    }
    const { query, object_type } = { ...draft.before, ...draft.input } as Record<string, unknown>;
    const resource = resourceOfType(String(object_type));
    if (resource === undefined || typeof query !== "string" || draft.errors.query !== undefined) continue;
    const params = new URLSearchParams(query);
    for (const name of PAGE_PARAMETERS) params.delete(name);
    try {
      parseListQuery(resource, params, ctx);
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== "invalid") throw error;
      for (const [name, messages] of Object.entries(error.public as FieldErrors)) {
        for (const message of messages) {
          refuse(draft, "query", name === "__all__" ? message : `${quoteInput(name)}: ${message}`);
        }
      }
    }
  }
  await keepQuota({ ctx, tx, drafts }, {
    table: saved_views,
    most: MAX_SAVED_VIEWS_PER_USER,
    noun: "saved views",
  });
}

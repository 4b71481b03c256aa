/** Saved views. Users have their own; shared ones are also visible to users who may view the list. */

import { concerns, finding, within } from "../../base/findings.ts";
import { OBJECT_TYPES, type ObjectType } from "../../auth/mod.ts";
import { AppError } from "../../base/errors.ts";
import { pacer } from "../../base/pace.ts";
import { saved_views as table } from "../../db/schema/mod.ts";
import { quoteInput, regexAllowance } from "../../filters/mod.ts";
import {
  boolean,
  choice,
  defineResource,
  type Out,
  parseListQuery,
  reference,
  refuse,
  type Resource,
  resourceOfType,
  text,
  type Values,
  type WriteStep,
} from "../../resource/mod.ts";
import { keepQuota } from "../accounts/users/keep_quota.ts";
import { users } from "../accounts/users/resource.ts";

/** Maximum length of a name. */
export const MAX_VIEW_NAME_CHARS = 100;
/** Maximum length of a query: the same as that of a URL. */
const MAX_SAVED_QUERY_CHARS = 4_000;
/** Maximum number of saved views per user: far more than a menu can show. */
export const MAX_SAVED_VIEWS_PER_USER = 200;
/** Parameters that only pages use. */
const PAGE_PARAMETERS = ["columns", "show"];

/** Types that have a list. Tokens do not: they are on the page of their user. */
export const LISTED_TYPES: readonly ObjectType[] = OBJECT_TYPES.filter((type) => type !== "users.token");

/** `certmgr.savedview`. */
export const savedViews = defineResource({
  objectType: "certmgr.savedview",
  path: "plugins/certmgr/saved-views",
  label: "saved view",
  order: [{ field: "id", descending: false }],
  table,
  untracked: true,
  fields: [
    text("name", { description: "Name of the view.", required: true, max: MAX_VIEW_NAME_CHARS }),
    choice("object_type", {
      description: "Type of the objects in its list.",
      choices: LISTED_TYPES,
      required: true,
    }),
    text("query", {
      description:
        "Query string of the list, such as `tenant=acme&ordering=valid_to`: filters, `ordering`, `limit`, and the parameters of " +
        "pages, `columns` and `show`.",
      max: MAX_SAVED_QUERY_CHARS,
    }),
    boolean("shared", {
      description: "Whether everyone who may view the list can use it. Only its owner can change it.",
      fallback: false,
    }),
    reference("user", {
      description: "The creator.",
      target: (): Resource => users,
      keys: ["username"],
      nullable: false,
      readOnly: true,
      onDelete: "cascade",
    }),
  ],
  brief: ["name", "object_type"],
  search: { fields: ["name"] },
  hooks: { prepare: prepareViews },
});

export type SavedView = Out<typeof savedViews>;

/**
 * Makes the caller the owner of what they create, checks queries as the list would, and enforces the quota.
 */
async function prepareViews({ ctx, tx, drafts }: WriteStep): Promise<void> {
  const regexes = regexAllowance();
  const pause = pacer();
  for (const draft of drafts) {
    await pause();
    if (draft.before === undefined) {
      if (ctx.actor.userId === null) refuse(draft, "user", finding("view_needs_user"));
      else draft.row.user_id = ctx.actor.userId;
    }
    if (draft.before !== undefined && !("query" in draft.input || "object_type" in draft.input)) continue;
    const { query, object_type }: Values = { ...draft.before, ...draft.input };
    const resource = resourceOfType(String(object_type));
    if (resource === undefined || typeof query !== "string" || concerns(draft.errors, "query")) continue;
    const params = new URLSearchParams(query);
    for (const name of PAGE_PARAMETERS) params.delete(name);
    try {
      parseListQuery(ctx, { resource, params, regexes });
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== "invalid") throw error;
      for (const one of within(error.findings.flat(), quoteInput)) refuse(draft, "query", one);
    }
  }
  await keepQuota({ ctx, tx, drafts }, { table, most: MAX_SAVED_VIEWS_PER_USER, noun: "saved views" });
}

/** Saved views. Everyone has their own; shared ones are also visible to users who may view the list. */

import { OBJECT_TYPES, type ObjectType } from "../../auth/mod.ts";
import { saved_views as table } from "../../db/schema/mod.ts";
import {
  boolean,
  choice,
  defineResource,
  id,
  reference,
  type Resource,
  text,
  timestamps,
} from "../../resource/mod.ts";
import { users } from "../accounts/users/mod.ts";
import { MAX_QUERY_CHARS, prepareViews } from "./prepare.ts";

/** Types with a list; tokens are on the page of their user. */
export const LISTED_TYPES: readonly ObjectType[] = OBJECT_TYPES.filter((type) => type !== "users.token");

/** `certmgr.savedview`. */
export const savedViews: Resource = defineResource({
  objectType: "certmgr.savedview",
  path: "plugins/certmgr/saved-views",
  label: "saved view",
  table,
  untracked: true,
  fields: [
    id(),
    text("name", { description: "Name of the view.", required: true, max: 100 }),
    choice("object_type", {
      description: "Type of the objects in its list.",
      choices: LISTED_TYPES,
      required: true,
    }),
    text("query", {
      description:
        "Query string of the list, such as `tenant=acme&ordering=valid_to`: filters, `ordering`, `limit`, and the parameters of " +
        "pages, `columns` and `show`.",
      max: MAX_QUERY_CHARS,
      filter: false,
    }),
    boolean("shared", {
      description: "Whether everyone who may view the list sees it, too. Only its user changes it.",
      fallback: false,
    }),
    reference("user", {
      description: "The creator.",
      target: () => users,
      keys: ["username"],
      nullable: false,
      readOnly: true,
      onDelete: "cascade",
    }),
    ...timestamps(),
  ],
  brief: ["name", "object_type"],
  searchFields: ["name"],
  prepare: prepareViews,
});

/** Tokens: what programs identify themselves with. The key is shown once and kept as a hash. */

import { z } from "zod";
import { clearActorCache } from "../../../auth/mod.ts";
import { tokens as table } from "../../../db/schema/mod.ts";
import {
  boolean,
  datetime,
  defineResource,
  derived,
  type Field,
  id,
  reference,
  type Resource,
  text,
  timestamps,
} from "../../../resource/mod.ts";
import { users } from "../users/mod.ts";
import { allowedIps } from "./allowed_ips.ts";
import { guardTokenDeletion, prepareTokens } from "./prepare.ts";

/** `users.token`. */
export const tokens: Resource = defineResource({
  objectType: "users.token",
  path: "users/tokens",
  label: "token",
  refusesUnknown: true,
  table,
  untracked: true,
  createsOne: true,
  fields: [
    id(),
    reference("user", {
      description: "Whose token it is; the caller's unless given. Cannot be changed.",
      target: () => users,
      keys: ["username"],
      nullable: false,
      onDelete: "cascade",
    }),
    ...keyFields(),
    text("description", { description: "What it is for." }),
    boolean("enabled", { description: "Whether it is taken.", fallback: true }),
    boolean("write_enabled", { description: "Whether it may be used for changes.", fallback: true }),
    datetime("expires", {
      description: "From when on it is no longer taken; in the future when it is set.",
      nullable: true,
    }),
    allowedIps(),
    datetime("last_used", {
      description: "When it was last used, to the minute.",
      readOnly: true,
      nullable: true,
    }),
    ...timestamps(),
  ],
  brief: ["key_prefix", "description"],
  displayNeeds: ["key_prefix"],
  display: (row) => `${row.key_prefix}…`,
  searchFields: ["key_prefix", "description"],
  prepare: prepareTokens,
  beforeDelete: guardTokenDeletion,
  afterCommit: (ctx) => clearActorCache(ctx.database),
});

function keyFields(): Field[] {
  return [
    derived("key", {
      description: "The key: only in the reply that creates the token, null from then on.",
      output: z.string().nullable(),
      needs: [],
      read: () => null,
    }),
    text("key_prefix", { description: "The first characters of the key, to know it by.", readOnly: true }),
  ];
}

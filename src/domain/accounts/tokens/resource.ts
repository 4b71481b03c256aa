/** API tokens. The key is shown once and stored as a hash. */

import { z } from "zod";
import { clearActorCache } from "../../../auth/mod.ts";
import { tokens as table } from "../../../db/schema/mod.ts";
import {
  boolean,
  datetime,
  defineResource,
  derived,
  id,
  type Out,
  reference,
  type Resource,
  text,
  timestamps,
} from "../../../resource/mod.ts";
import { users } from "../users/mod.ts";
import { allowedIps } from "./allowed_ips.ts";
import { guardTokenDeletion, prepareTokens } from "./prepare.ts";

const KEY_FIELDS = [
  derived("key", {
    description: "The key; only in the response that creates the token, null afterwards.",
    output: z.string().nullable(),
    needs: [],
    read: () => null,
  }),
  text("key_prefix", { description: "The first characters of the key, to recognize it.", readOnly: true }),
];

/** `users.token`. */
export const tokens = defineResource({
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
      description: "The owner; default: the caller. Cannot be changed.",
      target: (): Resource => users,
      keys: ["username"],
      nullable: false,
      onDelete: "cascade",
    }),
    ...KEY_FIELDS,
    text("description", { description: "What it is for." }),
    boolean("enabled", { description: "Whether the token is accepted.", fallback: true }),
    boolean("write_enabled", { description: "Whether it may be used for changes.", fallback: true }),
    datetime("expires", {
      description: "When the token expires; must be in the future when it is set.",
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

export type Token = Out<typeof tokens>;

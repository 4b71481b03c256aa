/** Users: accounts of people and programs. */

import { z } from "zod";
import { clearActorCache, passwordFault } from "../../../auth/mod.ts";
import { formatDatetime } from "../../../base/clock.ts";
import { MAX_LINKS, MAX_PASSWORD_CHARS, MIN_PASSWORD_CHARS } from "../../../base/limits.ts";
import { users as table } from "../../../db/schema/mod.ts";
import {
  boolean,
  datetime,
  defineResource,
  derived,
  documented,
  type Field,
  id,
  many,
  type Resource,
  text,
  timestamps,
} from "../../../resource/mod.ts";
import { groups, recordedLinks } from "../groups/mod.ts";
import { hashPasswords } from "./hash_passwords.ts";
import { prepareUsers } from "./prepare.ts";
import { guardUserDeletion } from "./superusers.ts";

/** `users.user`. */
export const users: Resource = defineResource({
  objectType: "users.user",
  path: "users/users",
  label: "user",
  table,
  untracked: true,
  fields: [
    id(),
    ...personFields(),
    boolean("is_active", {
      description:
        "Whether the user may sign in at all. Deactivating ends the user's web sessions for good; API tokens " +
        "are refused while the user is inactive, and taken again afterwards.",
      fallback: true,
    }),
    boolean("is_superuser", {
      description: "Whether the user may do everything; only superusers may set it.",
      fallback: false,
    }),
    many("groups", {
      description: "Groups that the user is in; to change them takes `change` on the groups, too.",
      target: () => groups,
      keys: ["name"],
      link: { table: "user_groups", own: "user_id", other: "group_id" },
      max: MAX_LINKS,
    }),
    recordedLinks("permissions", {
      description: "Object permissions that the user holds himself.",
      link: { table: "object_permission_users", own: "user_id", other: "object_permission_id" },
    }),
    datetime("last_login", {
      description: "When the user last signed in with the password.",
      readOnly: true,
      nullable: true,
    }),
    derived("date_joined", {
      description: "The same as `created`.",
      output: z.iso.datetime(),
      needs: ["created"],
      read: (row) => formatDatetime(row.created as number),
    }),
    ...timestamps(),
  ],
  brief: ["username"],
  displayNeeds: ["username"],
  display: (row) => String(row.username),
  searchFields: ["username", "first_name", "last_name", "email"],
  order: [{ field: "username", descending: false }],
  unique: [{
    columns: ["username"],
    ignoreCase: true,
    field: "username",
    message: "A user with this username already exists.",
  }],
  beforeWrite: hashPasswords,
  prepare: prepareUsers,
  beforeDelete: guardUserDeletion,
  afterCommit: (ctx) => clearActorCache(ctx.database),
});

function personFields(): Field[] {
  return [
    text("username", {
      description: "Name to sign in with; unique, its case does not matter.",
      required: true,
      max: 150,
      // ASCII only: letters that look alike must not make two accounts.
      pattern: { regex: /^[A-Za-z0-9@.+_-]+$/, expected: "letters, digits and @ . + - _" },
    }),
    passwordField(),
    text("first_name", { description: "Given name.", max: 150 }),
    text("last_name", { description: "Family name.", max: 150 }),
    text("email", {
      description: "Electronic mail address.",
      max: 254,
      pattern: { regex: /^[^\s@\0]+@[^\s@\0]+$/, expected: "a mail address" },
    }),
  ];
}

/** Written, never read, never recorded; what reaches the column is the hash that {@link hashPasswords} leaves. */
function passwordField(): Field {
  return {
    name: "password",
    description:
      `Password, ${MIN_PASSWORD_CHARS} to ${MAX_PASSWORD_CHARS} characters; never read back. A new one ends ` +
      "the user's web sessions; API tokens stay valid until they are deleted.",
    required: true,
    readOnly: false,
    writeOnly: true,
    long: false,
    input: documented(
      z.string({ error: "Expected text." }).check((context) => {
        const fault = passwordFault(context.value);
        if (fault !== undefined) context.issues.push({ code: "custom", message: fault, input: undefined });
      }),
      { type: "string", minLength: MIN_PASSWORD_CHARS, maxLength: MAX_PASSWORD_CHARS },
    ),
    output: z.string(),
    needs: [],
    select: () => [],
    read: () => undefined,
    columns: (hash) => ({ password_hash: hash as string }),
    filters: {},
  };
}

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
  type Out,
  type Resource,
  text,
  timestamps,
} from "../../../resource/mod.ts";
import { emailField } from "../../inventory/mod.ts";
import { groups, recordedLinks } from "../groups/mod.ts";
import { hashPasswords } from "./hash_passwords.ts";
import { keepComparisons } from "./keep_comparisons.ts";
import { prepareUsers } from "./prepare.ts";
import { guardUserDeletion } from "./superusers.ts";
import type { RowOf } from "../../../db/mod.ts";

const PERSON_FIELDS = [
  text("username", {
    description: "Name to sign in with; unique, ignoring case.",
    required: true,
    max: 150,
    // Only ASCII, so that two usernames cannot look alike.
    pattern: { regex: /^[A-Za-z0-9@.+_-]+$/, expected: "letters, digits and @ . + - _" },
  }),
  passwordField(),
  currentPasswordField(),
  text("first_name", { description: "Given name.", max: 150 }),
  text("last_name", { description: "Family name.", max: 150 }),
  emailField("email", "E-mail address."),
];

/** `users.user`. */
export const users = defineResource({
  objectType: "users.user",
  path: "users/users",
  label: "user",
  table,
  untracked: true,
  fields: [
    id(),
    ...PERSON_FIELDS,
    boolean("is_active", {
      description:
        "Whether the user may sign in. Deactivating a user revokes their web sessions; their API tokens " +
        "are refused while the user is inactive, and accepted again afterwards.",
      fallback: true,
    }),
    boolean("is_superuser", {
      description: "Whether the user may do everything; only superusers may set it.",
      fallback: false,
    }),
    many("groups", {
      description: "Groups of the user; to change them, `change` on the groups is required as well.",
      target: (): Resource => groups,
      keys: ["name"],
      link: { table: "user_groups", own: "user_id", other: "group_id" },
      max: MAX_LINKS,
    }),
    recordedLinks("permissions", {
      description: "Object permissions granted to the user directly.",
      link: { table: "object_permission_users", own: "user_id", other: "object_permission_id" },
    }),
    boolean("has_second_factor", {
      description: "Whether the user has a passkey or an authenticator app.",
      readOnly: true,
    }),
    datetime("last_login", { description: "When the user last signed in.", readOnly: true, nullable: true }),
    derived("date_joined", {
      description: "The same as `created`.",
      output: z.iso.datetime(),
      needs: ["created"],
      read: ({ created }: Pick<RowOf<typeof table>, "created">) => formatDatetime(created),
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
  afterStore: (step) => keepComparisons(step, { field: "groups" }),
  beforeDelete: guardUserDeletion,
  afterCommit: (ctx) => clearActorCache(ctx.database),
});

export type User = Out<typeof users>;

/** Defines the write-only field `current_password`, which {@link hashPasswords} verifies. */
function currentPasswordField(): Field<"current_password", string> {
  return {
    name: "current_password",
    description: "The caller's current password: required with a new password for the caller's own account.",
    required: false,
    readOnly: false,
    writeOnly: true,
    long: false,
    input: z.string({ error: "Expected text." }),
    output: z.string(),
    needs: [],
    select: () => [],
    read: () => undefined,
    columns: () => ({}),
    filters: {},
  };
}

/** Defines the write-only field `password`. {@link hashPasswords} replaces the value by its hash. */
function passwordField(): Field<"password", string> {
  return {
    name: "password",
    description:
      `Password, ${MIN_PASSWORD_CHARS} to ${MAX_PASSWORD_CHARS} characters; never returned. A new one revokes ` +
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
    columns: (hash) => ({ password_hash: String(hash) }),
    filters: {},
  };
}

/** Users: accounts of people and programs. */

import { addFinding, encoded, finding, issue } from "../../../base/findings.ts";
import { z } from "zod";
import { inArray } from "drizzle-orm";
import {
  clearActorCache,
  type Context,
  hashPassword,
  passwordFault,
  permittedIds,
} from "../../../auth/mod.ts";
import { formatDatetime } from "../../../base/clock.ts";
import { AppError } from "../../../base/errors.ts";
import { MAX_LINKS, MAX_PASSWORD_CHARS, MIN_PASSWORD_CHARS } from "../../../base/limits.ts";
import { deleteFrom, idsIn, type ObjectRow, type RowOf } from "../../../db/mod.ts";
import { sessions, users as table } from "../../../db/schema/mod.ts";
import {
  boolean,
  datetime,
  defineResource,
  derived,
  documented,
  type Field,
  linksOf,
  many,
  type Out,
  type ParsedBody,
  refuse,
  type Resource,
  text,
  type Values,
  type WriteStep,
} from "../../../resource/mod.ts";
import { emailField } from "../../inventory/mod.ts";
import { recordAudit } from "../../system/audit_events/record_audit.ts";
import { accessFields, groups, recordedLinks } from "../groups/resource.ts";
import { confirmPassword } from "./confirm_password.ts";
import { keepComparisons } from "./keep_comparisons.ts";
import { guardAccounts, guardUserDeletion, keepOwnAccount, keepSuperuser } from "./superusers.ts";

/** Maximum number of passwords in a bulk call: about ten seconds of hashing. */
export const MAX_BULK_PASSWORDS = 50;

/**
 * Hashes the passwords of a call one after another, unless the call has errors. Verifies the caller's current password
 * if it is given; that own passwords need it is checked when the rows are known. Errors: those of
 * {@link confirmPassword}.
 */
async function hashPasswords(
  { ctx, given }: { ctx: Context; given: readonly ParsedBody[] },
): Promise<void> {
  const holders = given.filter(({ input }) => typeof input.password === "string");
  for (const { errors } of holders.slice(MAX_BULK_PASSWORDS)) {
    addFinding(errors, "password", finding("too_many_passwords", { max: MAX_BULK_PASSWORDS }));
  }
  const faulty = given.some(({ errors }) => Object.keys(errors).length > 0);
  const current = given.map(({ input }) => input.current_password).find((one) => typeof one === "string");
  if (current !== undefined && !faulty) {
    const address = ctx.client?.address ?? null;
    await confirmPassword(ctx, { current: current, address, field: "current_password" });
  }
  for (const { input } of holders) {
    if (faulty) delete input.password;
    else input.password = await hashPassword(String(input.password));
  }
}

/**
 * Guards superusers and group memberships. Revokes the sessions of accounts whose password changes or that
 * are deactivated. Errors: forbidden.
 */
async function prepareUsers(step: WriteStep): Promise<void> {
  const { ctx, tx, drafts } = step;
  if (drafts.some(({ input }) => "access" in input || "access_tenant" in input)) {
    await (await import("./access.ts")).giveAccess(step);
  }
  const superusers = drafts.some(({ before, input }) =>
    before?.is_superuser === 1 || input.is_superuser === true
  );
  if (superusers) guardAccounts(ctx);
  keepOwnAccount(step);
  requireCurrentPassword(step);
  await keepSuperuser(step);
  await guardMembership(step);
  const changed = drafts.filter(({ before, input }) =>
    before !== undefined && ("password" in input || input.is_active === false)
  );
  if (changed.length > 0) {
    const ids = idsIn(changed.map((draft) => draft.id));
    await tx.run(deleteFrom(sessions).where(inArray(sessions.user_id, ids)));
    const passwords = changed.filter(({ input, errors }) =>
      "password" in input && Object.keys(errors).length === 0
    );
    await recordAudit(
      tx,
      ctx,
      passwords.map(({ id, before }) => ({
        event: "password_changed" as const,
        userId: id,
        username: String(before?.username ?? ""),
        detail: `by ${ctx.actor.username}`,
      })),
    );
  }
}

/** Refuses a new password for the caller's own account without the current one: a token alone must not be able to sign in. */
function requireCurrentPassword({ ctx: { actor }, drafts }: WriteStep): void {
  for (const draft of drafts) {
    const isConfirmed = "current_password" in draft.input;
    // It is nothing that is stored.
    delete draft.input.current_password;
    if (isConfirmed || draft.id !== actor.userId || !("password" in draft.input)) continue;
    refuse(
      draft,
      "current_password",
      finding("current_password_required"),
    );
  }
}

/**
 * Refuses changes of groups that the caller may not change. Errors: forbidden. One statement if the caller's
 * permission has constraints.
 */
async function guardMembership(
  { ctx, tx, drafts }: WriteStep<ObjectRow, Values & { groups?: number[] }>,
): Promise<void> {
  if (ctx.actor.isSuperuser) return;
  const changed = drafts.flatMap((draft) =>
    draft.input.groups === undefined ? [] : difference(linksOf(draft, "groups"), draft.input.groups)
  );
  const ids = [...new Set(changed)];
  const mine = await permittedIds({ ctx, reader: tx }, {
    action: "change",
    map: groups.map,
    ids,
  });
  if (ids.every((id) => mine.has(id))) return;
  throw new AppError(
    "forbidden",
    "To add users to a group or remove them, you need permission to change the group.",
  );
}

/** Returns the ids that only one of the two lists contains. */
function difference(one: readonly number[], other: readonly number[]): number[] {
  return [...one.filter((id) => !other.includes(id)), ...other.filter((id) => !one.includes(id))];
}

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

export const users = defineResource({
  objectType: "users.user",
  path: "users/users",
  label: "user",
  table,
  untracked: true,
  fields: [
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
    ...accessFields(),
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
  ],
  brief: ["username"],
  displayNeeds: ["username"],
  display: (row) => String(row.username),
  search: { fields: ["username", "first_name", "last_name", "email"] },
  order: [{ field: "username", descending: false }],
  unique: [{
    columns: ["username"],
    ignoreCase: true,
    field: "username",
    finding: finding("not_unique", { object: "A user", fields: "username" }),
  }],
  hooks: {
    beforeWrite: hashPasswords,
    prepare: prepareUsers,
    afterStore: (step) => keepComparisons(step, { field: "groups" }),
    beforeDelete: guardUserDeletion,
    afterCommit: (ctx) => clearActorCache(ctx.database),
  },
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
    input: z.string({ error: issue("unexpected", { expected: "text" }) }),
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
      z.string({ error: issue("unexpected", { expected: "text" }) }).check((context) => {
        const fault = passwordFault(context.value);
        if (fault !== undefined) {
          context.issues.push({ code: "custom", message: encoded(fault), input: undefined });
        }
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

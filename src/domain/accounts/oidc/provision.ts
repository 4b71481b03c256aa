/** Maps an identity at a provider to a user: creation, groups, superusers, deactivation. */

import { textOf } from "../../../base/findings.ts";
import { and, eq, inArray, type SQL, sql } from "drizzle-orm";
import { type Context, type OidcProvider, SERVICE_ACTOR } from "../../../auth/mod.ts";
import { sha256Hex } from "../../../base/bytes.ts";
import { AppError } from "../../../base/errors.ts";
import { isMailAddress } from "../../../base/mail_address.ts";
import { insertInto, jsonText, nextIds, select, type Transaction, update } from "../../../db/mod.ts";
import { groups, user_groups, user_identities, users as table } from "../../../db/schema/mod.ts";
import { EVERYTHING } from "../../../filters/mod.ts";
import {
  anyErrors,
  changeDraft,
  type Draft,
  loadForChange,
  storeDrafts,
  validateDrafts,
  type Values,
  type WriteCall,
} from "../../../resource/mod.ts";
import { recordAudit } from "../../system/audit_events/record_audit.ts";
import { users } from "../users/resource.ts";
import { emailOf, mapGroups, type MappedGroups, textOfClaim, usesGroups } from "./claims.ts";
import type { OidcIdentity } from "./provider.ts";

/** Characters that no name needs, and with which nobody could be created. */
const INVISIBLE = /[\p{Cc}\p{Bidi_Control}]/gu;
const USERNAME = /^[A-Za-z0-9@.+_-]{1,150}$/;

/** A user after the provider's claims were applied. */
export interface Provisioned {
  readonly userId: number;
  readonly username: string;
  /** Why the user may not sign in; empty if they may. */
  readonly refusal: string;
}

type Deps = Omit<Context, "actor">;

/**
 * Finds or creates the user of an identity, and applies its groups: memberships, superuser status,
 * deactivation. Keeps memberships that were granted here. Errors: unauthenticated (an unknown user, or a
 * username that is taken).
 */
export async function provisionUser(
  { deps, provider, identity }: { deps: Deps; provider: OidcProvider; identity: OidcIdentity },
): Promise<Provisioned> {
  const ctx: Context = { ...deps, actor: { ...SERVICE_ACTOR, username: provider.name } };
  const mapped = mapGroups(provider, identity.claims);
  const hasAccess = mapped?.hasAccess ?? provider.groups.length === 0;
  const refused = mapped === undefined ? noGroups(provider) : NO_GROUP;
  if (mapped === undefined && usesGroups(provider)) {
    const { issuer, subject } = identity;
    ctx.log.log("warn", "groups unknown", { provider: provider.name, issuer, subject, hasAccess });
  }
  const result = await ctx.database.write(async (tx) => {
    const call: WriteCall = { ctx, tx, resource: users, allowed: EVERYTHING };
    const known = await findIdentity(tx, identity);
    if (known === undefined && !hasAccess) return undefined;
    const userId = known?.user_id ?? await adopt(call, { provider, identity });
    const [before] = (await loadForChange(call, [userId])).values();
    if (before === undefined) throw new Error(`User ${userId} of an identity is missing`);
    const username = String(before.username);
    const input = mapped === undefined ? {} : await applyGroups(call, { identity, known, before, mapped });
    if (input.is_active === false) {
      await recordAudit(tx, deps, [{
        event: "user_deactivated",
        userId,
        username,
        detail: `${provider.name}: none of the required groups`,
      }]);
    }
    if (hasAccess) {
      await tx.run(update(user_identities).set({ last_sign_in: ctx.clock.now() }).where(isOf(identity)));
    }
    const isActive = (input.is_active ?? before.is_active === 1) === true;
    return { userId, username, refusal: hasAccess ? isActive ? "" : "The user is inactive." : refused };
  });
  users.hooks?.afterCommit?.(ctx);
  return result ?? { userId: 0, username: "", refusal: refused };
}

const NO_GROUP = "You are not in any of the groups that may use this service.";

function noGroups({ name, groupsClaim }: OidcProvider): string {
  return `${name} did not say which groups you are in: the claim "${groupsClaim}" is missing or cannot be read. ` +
    "Ask an administrator.";
}

/** Applies groups: memberships, superuser status, deactivation. Returns the fields of the user that change. */
async function applyGroups(
  call: WriteCall,
  { identity, known, before, mapped }: {
    identity: OidcIdentity;
    known: KnownIdentity | undefined;
    before: NonNullable<Draft["before"]>;
    mapped: MappedGroups;
  },
): Promise<Values> {
  const { tx } = call;
  const { isSuperuser, hasAccess } = mapped;
  const { id: userId } = before;
  const groupIds = await idsOf(tx, mapped.groups);
  const given: number[] = JSON.parse(known?.groups ?? "[]");
  const members = await tx.all(
    select({ id: user_groups.group_id }).from(user_groups).where(eq(user_groups.user_id, userId)),
  );
  const current = members.map(({ id }) => id);
  const requested = [...new Set([...current.filter((id) => !given.includes(id)), ...groupIds])];
  const input: Values = {};
  if (requested.toSorted(byNumber).join() !== current.toSorted(byNumber).join()) input.groups = requested;
  const madeSuperuser = known?.made_superuser === 1;
  if (isSuperuser && before.is_superuser !== 1) input.is_superuser = true;
  if (!isSuperuser && madeSuperuser && before.is_superuser === 1) input.is_superuser = false;
  const wasDeactivated = known?.deactivated === 1;
  if (!hasAccess && before.is_active === 1) input.is_active = false;
  if (hasAccess && wasDeactivated && before.is_active !== 1) input.is_active = true;
  if (Object.keys(input).length > 0) {
    await store(call, [changeDraft(before, { input })]);
  }
  await tx.run(
    update(user_identities).set({
      groups: jsonText(groupIds),
      made_superuser: Number(isSuperuser && (madeSuperuser || before.is_superuser !== 1)),
      deactivated: Number(!hasAccess && (wasDeactivated || before.is_active === 1)),
    }).where(isOf(identity)),
  );
  return input;
}

function byNumber(a: number, b: number): number {
  return a - b;
}

function isOf({ issuer, subject }: OidcIdentity): SQL | undefined {
  return and(eq(user_identities.issuer, issuer), eq(user_identities.subject, subject));
}

async function idsOf(tx: Transaction, names: readonly string[]): Promise<number[]> {
  if (names.length === 0) return [];
  const rows = await tx.all(
    select({ id: groups.id }).from(groups).where(inArray(groups.name, [...new Set(names)])),
  );
  return rows.map(({ id }) => id);
}

interface KnownIdentity {
  readonly user_id: number;
  readonly groups: string;
  readonly made_superuser: number;
  readonly deactivated: number;
}

async function findIdentity(tx: Transaction, identity: OidcIdentity): Promise<KnownIdentity | undefined> {
  const { user_id, groups, made_superuser, deactivated } = user_identities;
  const [row] = await tx.all(
    select({ user_id, groups, made_superuser, deactivated }).from(user_identities).where(isOf(identity)),
  );
  return row;
}

/** Creates the user of a new identity, or connects it with the existing user of the same name. */
async function adopt(
  call: WriteCall,
  { provider, identity }: { provider: OidcProvider; identity: OidcIdentity },
): Promise<number> {
  const { ctx, tx } = call;
  const { issuer, subject, claims } = identity;
  const username = usernameOf(identity);
  const [existing] = await tx.all<{ id: number; is_superuser: number; identities: number }>(
    sql`SELECT id, is_superuser, (SELECT count(*) FROM ${user_identities} WHERE user_id = users.id) AS identities
      FROM ${table} WHERE username = ${username} COLLATE NOCASE`,
  );
  if (provider.createUsers && existing !== undefined) {
    // A person who can choose their username at the provider must not become an existing user here.
    throw refusal(`The username "${username}" belongs to a user who does not sign in at ${provider.name}.`);
  }
  if (
    !provider.createUsers &&
    (existing === undefined || existing.is_superuser === 1 || existing.identities > 0)
  ) {
    throw refusal(`No user "${username}" may sign in at ${provider.name}. Ask an administrator.`);
  }
  const userId = existing?.id ?? await nextIds(tx, table, 1);
  if (existing === undefined) {
    const text = (name: string, max: number): string => {
      const claim = claims[name];
      if (typeof claim !== "string") return "";
      return claim.replace(INVISIBLE, "").slice(0, max).toWellFormed().replace(/\ufffd$/, "");
    };
    const email = emailOf(claims) ?? "";
    const input = {
      username,
      first_name: text("given_name", 150),
      last_name: text("family_name", 150),
      email: isMailAddress(email) ? email : "",
      is_active: true,
      is_superuser: false,
      groups: [],
    };
    await store(call, [{ id: userId, input, row: {}, errors: [], reveal: {} }]);
    await recordAudit(tx, ctx, [{ event: "user_provisioned", userId, username, detail: provider.name }]);
  }
  const now = ctx.clock.now();
  await tx.run(
    insertInto(user_identities).values({ user_id: userId, issuer, subject, created: now, last_sign_in: now }),
  );
  return userId;
}

function usernameOf({ issuer, subject, claims }: OidcIdentity): string {
  // An address that the provider has not verified may belong to someone else.
  const candidates = [textOfClaim(claims.preferred_username), emailOf(claims), subject];
  const found = candidates.find((one) => one !== undefined && USERNAME.test(one));
  return found ?? `oidc-${sha256Hex(`${issuer} ${subject}`).slice(0, 16)}`;
}

async function store(call: WriteCall, drafts: readonly Draft[]): Promise<void> {
  await validateDrafts(call, drafts);
  if (anyErrors(drafts)) throw refusal(drafts[0]?.errors.map((one) => textOf(one)).join(" ") ?? "");
  await storeDrafts(call, drafts);
}

function refusal(detail: string): AppError {
  return new AppError("unauthenticated", detail);
}

/** API tokens. The key is shown once and stored as a hash. */

import { and, eq, inArray } from "drizzle-orm";
import { z } from "zod";
import {
  type Actor,
  clearActorCache,
  type Context,
  hashKey,
  isWithin,
  KEY_CHARS,
  readNetwork,
  type TokenLimits,
} from "../../../auth/mod.ts";
import { boundedList } from "../../../base/bounded_list.ts";
import { randomText } from "../../../base/bytes.ts";
import { formatDatetime } from "../../../base/clock.ts";
import { AppError } from "../../../base/errors.ts";
import { concerns, finding, issue } from "../../../base/findings.ts";
import { idsIn, type RowOf, select, type Transaction } from "../../../db/mod.ts";
import { tokens as table, users as userTable } from "../../../db/schema/mod.ts";
import {
  boolean,
  datetime,
  defineResource,
  derived,
  documented,
  type Draft,
  effectiveJson,
  type Field,
  json,
  type Out,
  quote,
  reference,
  refuse,
  type Resource,
  text,
  type Values,
  type WriteStep,
} from "../../../resource/mod.ts";
import { recordAudit } from "../../system/audit_events/record_audit.ts";
import { keepQuota } from "../users/keep_quota.ts";
import { users } from "../users/resource.ts";
import { guardAccounts } from "../users/superusers.ts";

/** Number of characters of a key that remain readable. The others cannot be guessed from them. */
const PREFIX_CHARS = 8;

/**
 * Validates tokens. A token belongs to the caller unless a user is given, and its user cannot change. A
 * superuser's tokens have the rights of the account, so they are guarded like it. A caller without other
 * permissions can create tokens only for themselves, because the stored token is checked against the
 * permission that every user has.
 */
async function prepareTokens({ ctx, tx, drafts }: WriteStep<TokenRow, TokenInput>): Promise<void> {
  for (const draft of drafts) {
    if (draft.before === undefined) {
      fillUser(draft, ctx);
      makeKey(draft);
    } else if ("user" in draft.input && draft.input.user !== draft.before.user_id) {
      refuse(draft, "user", finding("token_user_fixed"));
    }
    validateExpiry(draft, ctx);
    if (ctx.actor.tokenLimits !== undefined) keepWithin(ctx.actor, ctx.actor.tokenLimits, draft);
  }
  await keepQuota(
    { ctx, tx, drafts },
    {
      table,
      most: ctx.settings.maxTokensPerUser,
      noun: "tokens",
      setting: "CERTMGR_MAX_TOKENS_PER_USER",
    },
  );
  await recordTokens({ ctx, tx }, {
    event: "token_created",
    tokens: drafts.flatMap(({ before, input, row, errors }) =>
      before === undefined && Object.keys(errors).length === 0 && typeof input.user === "number"
        ? [{ userId: input.user, prefix: String(row.key_prefix) }]
        : []
    ),
  });
  const owners = drafts.map(({ input, before }) => before?.user_id ?? input.user);
  await guardOwners({ ctx, tx }, owners.filter((owner) => typeof owner === "number"));
}

type TokenRow = RowOf<typeof table>;
type TokenInput = Values & { expires?: number | null; allowed_ips?: string[]; write_enabled?: boolean };
type TokenDraft = Draft<TokenRow, TokenInput>;

/** Refuses to delete a superuser's tokens. Errors: forbidden. */
async function guardTokenDeletion(
  { ctx, tx, rows }: { ctx: Context; tx: Transaction; rows: readonly TokenRow[] },
): Promise<void> {
  await guardOwners({ ctx, tx }, rows.map((row) => row.user_id));
  await recordTokens({ ctx, tx }, {
    event: "token_deleted",
    tokens: rows.map((row) => ({ userId: row.user_id, prefix: row.key_prefix })),
  });
}

/** Records tokens in the audit log, each with its user and the user who created or deleted it. */
async function recordTokens(
  { ctx, tx }: { ctx: Context; tx: Transaction },
  { event, tokens: changed }: {
    event: "token_created" | "token_deleted";
    tokens: readonly { readonly userId: number; readonly prefix: string }[];
  },
): Promise<void> {
  if (changed.length === 0) return;
  const names = new Map(
    (await tx.all(
      select({ id: userTable.id, username: userTable.username }).from(userTable)
        .where(inArray(userTable.id, idsIn(changed.map(({ userId }) => userId)))),
    )).map(({ id, username }) => [id, username]),
  );
  await recordAudit(
    tx,
    ctx,
    changed.map(({ userId, prefix }) => ({
      event,
      userId,
      username: names.get(userId) ?? "",
      detail: `${prefix}… by ${ctx.actor.username}`,
    })),
  );
}

function fillUser(draft: Draft, { actor }: Context): void {
  if ("user" in draft.input || concerns(draft.errors, "user")) return;
  if (actor.userId === null) refuse(draft, "user", finding("required"));
  else draft.input.user = actor.userId;
}

/** Refuses an expiry in the past, with which the token would be useless. An unchanged expiry is accepted. */
function validateExpiry(draft: Draft, { clock }: Context): void {
  const { expires } = draft.input;
  if (typeof expires !== "number" || expires > clock.now() || expires === draft.before?.expires) return;
  refuse(
    draft,
    "expires",
    finding("unexpected", { expected: "a time in the future", value: quote(formatDatetime(expires)) }),
  );
}

/**
 * Refuses a token that would allow more than the token of the request. For example, a token that expires must
 * not create one that does not. The token is checked as it would be stored. Errors: forbidden.
 */
function keepWithin({ mayWrite }: Actor, limits: TokenLimits, draft: TokenDraft): void {
  const { input, before } = draft;
  const { expires = before?.expires ?? null } = input;
  if (limits.expires !== null && (expires ?? Infinity) > limits.expires) {
    throw beyond(
      `expires: expected a time not after ${formatDatetime(limits.expires)}, when that token expires`,
    );
  }
  const networks = effectiveJson(draft, "allowed_ips") ?? [];
  const within = networks.length > 0 && networks.every((network) => isWithin(network, limits.allowedIps));
  if (limits.allowedIps.length > 0 && !within) {
    throw beyond(`allowed_ips: expected only addresses within ${limits.allowedIps.join(", ")}`);
  }
  if (!mayWrite && (input.write_enabled ?? before?.write_enabled !== 0)) {
    throw beyond("write_enabled: expected false");
  }
}

function beyond(limit: string): AppError {
  return new AppError(
    "forbidden",
    `A token cannot create or change a token beyond its own limits. ${limit}.`,
  );
}

/** Generates a key, unless the operator gave one (first start), which `reveal` already contains. */
function makeKey({ row, reveal }: Draft): void {
  const key = typeof reveal.key === "string" ? reveal.key : randomText(KEY_CHARS);
  reveal.key = key;
  row.key_hash = hashKey(key);
  row.key_prefix = key.slice(0, PREFIX_CHARS);
}

async function guardOwners(
  { ctx, tx }: { ctx: Context; tx: Transaction },
  ids: readonly number[],
): Promise<void> {
  if (ctx.actor.isSuperuser || ids.length === 0) return;
  const isSuperuser = and(eq(userTable.is_superuser, 1), inArray(userTable.id, idsIn(ids)));
  const superusers = await tx.all(select({ id: userTable.id }).from(userTable).where(isSuperuser).limit(1));
  if (superusers.length > 0) guardAccounts(ctx);
}

/** Maximum number of addresses and networks in a list. */
const MAX_NETWORKS = 100;

const network = z.string({ error: issue("unexpected", { expected: "an IP address or a network" }) })
  .transform((given, context) => {
    const result = readNetwork(given.trim());
    if ("network" in result) return result.network;
    context.addIssue({ code: "custom", message: `${result.error}, not ${quote(given)}.` });
    return z.NEVER;
  });

const networks = boundedList(network, {
  max: MAX_NETWORKS,
  error: issue("unexpected", { expected: "a list of IP addresses and networks" }),
});

/** Defines the field. Values are stored in canonical form. An empty list or null allows all addresses. */
function allowedIps(): Field<"allowed_ips", string[]> {
  const field = json("allowed_ips", {
    description: "Addresses and networks (IPv4 and IPv6) from which the token can be used; empty: any.",
    schema: documented(z.preprocess((given) => given === null ? [] : given, networks), {
      type: ["array", "null"],
      items: {
        type: "string",
        format: "ip-network",
        description: "An address, or a network such as 192.0.2.0/24.",
      },
      maxItems: MAX_NETWORKS,
    }),
    fallback: [],
  });
  return { ...field, output: z.array(z.string()) };
}

const KEY_FIELDS = [
  derived("key", {
    description: "The key; only in the response that creates the token, null afterwards.",
    output: z.string().nullable(),
    needs: [],
    read: () => null,
  }),
  text("key_prefix", { description: "The first characters of the key, to recognize it.", readOnly: true }),
];

export const tokens = defineResource({
  objectType: "users.token",
  path: "users/tokens",
  label: "token",
  written: { knownOnly: true, oneByOne: true },
  table,
  untracked: true,
  fields: [
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
  ],
  brief: ["key_prefix", "description"],
  displayNeeds: ["key_prefix"],
  display: (row) => `${row.key_prefix}…`,
  search: { fields: ["key_prefix", "description"] },
  hooks: {
    prepare: prepareTokens,
    beforeDelete: guardTokenDeletion,
    afterCommit: (ctx) => clearActorCache(ctx.database),
  },
});

export type Token = Out<typeof tokens>;

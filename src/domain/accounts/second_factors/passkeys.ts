/** A user's passkeys: created with the password, used to sign in. */

import { and, count, eq, getTableColumns, sql } from "drizzle-orm";
import { z } from "zod";
import { type Context, seal, unseal, useOnce } from "../../../auth/mod.ts";
import { sha256Hex } from "../../../base/bytes.ts";
import type { Millis } from "../../../base/clock.ts";
import { AppError, invalidField, notFound } from "../../../base/errors.ts";
import {
  deleteFrom,
  insertInto,
  jsonText,
  select,
  storableText,
  type Transaction,
  update,
} from "../../../db/mod.ts";
import { passkeys } from "../../../db/schema/mod.ts";
import { confirmPassword } from "../users/confirm_password.ts";
import {
  afterAddition,
  afterRemoval,
  changeFactors,
  ownUser,
  secondFactorsOf,
  type Setup,
  SETUP_MS,
  type WithPassword,
} from "./factors.ts";
import {
  creationOptions,
  newChallenge,
  requestOptions,
  rpIdOf,
  verifyCreation,
  verifyPasskeyAnswer,
} from "./webauthn.ts";

const NAME = "passkey_challenge";
/** Maximum number of passkeys of a user: a few devices and security keys. */
const MAX_PASSKEYS_PER_USER = 20;
const MAX_NAME_CHARS = 100;
/** Maximum length of a browser's response; real ones have about a thousand characters. */
const MAX_RESPONSE_CHARS = 20_000;
/** Time after which the passkey button of an open sign-in page no longer works. */
const SIGN_IN_MS: Millis = 3_600_000;

const Challenge = z.object({ challenge: z.string(), userId: z.int().nullable(), name: z.string() });
type ChallengeValue = z.output<typeof Challenge>;

/** The data with which a page requests a passkey from the browser. */
export interface PasskeyRequest {
  /** Data that the form sends back. */
  readonly setup: string;
  /** Options of the call, as JSON. */
  readonly options: string;
}

/**
 * Begins to add a passkey. Errors: invalid (`current`, `name`), forbidden, conflict (too many passkeys, or
 * passkeys are impossible at this address).
 */
export async function beginPasskey(
  ctx: Context,
  { name: given, ...password }: WithPassword & { name: string },
): Promise<PasskeyRequest> {
  const { userId, username } = ownUser(ctx);
  const name = storableText(given.trim());
  if (name === "" || name.length > MAX_NAME_CHARS) {
    throw invalidField("name", "unexpected", { expected: `a name of 1 to ${MAX_NAME_CHARS} characters` });
  }
  await confirmPassword(ctx, password);
  const rpId = requireRpId(ctx.baseUrl);
  const known = (await secondFactorsOf(ctx, userId)).passkeys;
  if (known.length >= MAX_PASSKEYS_PER_USER) throw tooMany();
  const challenge = newChallenge();
  const value: ChallengeValue = { challenge, userId, name };
  return {
    setup: await seal(ctx.database, { name: `${NAME}_create`, value, expires: ctx.clock.now() + SETUP_MS }),
    options: await creationOptions({ rpId, challenge, userId, username, known: offered(known, rpId) }),
  };
}

/**
 * Stores the passkey that the browser has created. Returns recovery codes if it is the user's first factor.
 * Errors: conflict (expired, used, or already registered), invalid (`response`).
 */
export async function addPasskey(
  ctx: Context,
  { setup, response, keepSession }: Setup & { response: string },
): Promise<readonly string[]> {
  const { baseUrl: origin } = ctx;
  const { userId } = ownUser(ctx);
  const value = await readChallenge(ctx, { setup, name: `${NAME}_create` });
  if (value === undefined || value.userId !== userId) throw expired();
  const rpId = requireRpId(origin);
  const made = await verifyCreation(parsed(response), { challenge: value.challenge, origin, rpId }).catch(
    (cause) => {
      throw new AppError("invalid", "The passkey cannot be used. Try again.", { cause });
    },
  );
  const now = ctx.clock.now();
  return await changeFactors(ctx, async (tx) => {
    await claim(tx, { setup, now, lifetime: SETUP_MS });
    const [{ stored: known = 0 } = {}] = await tx.all(
      select({ stored: count() }).from(passkeys).where(eq(passkeys.user_id, userId)),
    );
    if (known >= MAX_PASSKEYS_PER_USER) throw tooMany();
    const stored = await tx.run(
      insertInto(passkeys).values({
        user_id: userId,
        name: value.name,
        credential_id: made.credentialId,
        public_key: made.publicKey,
        sign_count: made.signCount,
        transports: jsonText(made.transports),
        rp_id: rpId,
        created: now,
      }).onConflictDoNothing(),
    );
    if (stored === 0) throw new AppError("conflict", "This passkey is already registered.");
    return await afterAddition({ ctx, tx, detail: `passkey ${value.name}` }, keepSession);
  });
}

/** Removes one of the caller's passkeys. Errors: invalid (`current`), not_found, rate_limited. */
export async function removePasskey(
  ctx: Context,
  { id, ...given }: WithPassword & { id: number },
): Promise<void> {
  await confirmPassword(ctx, given);
  await changeFactors(ctx, async (tx) => {
    const own = and(eq(passkeys.id, id), eq(passkeys.user_id, ownUser(ctx).userId));
    const [row] = await tx.all(select({ name: passkeys.name }).from(passkeys).where(own));
    if (row === undefined) throw notFound();
    await tx.run(deleteFrom(passkeys).where(own));
    await afterRemoval({ ctx, tx, detail: `passkey ${row.name}` });
  });
}

type Deps = Omit<Context, "actor">;

/**
 * Returns a request for a passkey: any passkey for a sign-in without a username, or one of a user as the
 * second factor. undefined if browsers allow no passkeys at this address, and for a user who has none for it.
 */
export async function requestPasskey(deps: Deps, userId: number | null): Promise<PasskeyRequest | undefined> {
  const rpId = rpIdOf(deps.baseUrl);
  if (rpId === undefined) return undefined;
  const known = userId === null ? [] : offered((await secondFactorsOf(deps, userId)).passkeys, rpId);
  if (userId !== null && known.length === 0) return undefined;
  const challenge = newChallenge();
  const value: ChallengeValue = { challenge, userId, name: "" };
  return {
    setup: await seal(deps.database, { name: NAME, value, expires: deps.clock.now() + SIGN_IN_MS }),
    options: await requestOptions({ rpId, challenge, known }),
  };
}

/**
 * Checks the browser's response to {@link requestPasskey}, and returns the passkey's user. The challenge can
 * be used only once. Errors: unauthenticated (with the reason as its cause), conflict (the page is too old).
 */
export async function checkPasskey(
  deps: Deps,
  { setup, response, userId }: { setup: string; response: string; userId: number | null },
): Promise<number> {
  const { baseUrl: origin, clock, database } = deps;
  const value = await readChallenge(deps, { setup, name: NAME });
  if (value === undefined || value.userId !== userId) throw expired();
  const given = parsed(response);
  const id = z.object({ id: z.string() }).safeParse(given).data?.id ?? "";
  const [passkey] = await database.all(
    select(getTableColumns(passkeys)).from(passkeys).where(eq(passkeys.credential_id, id)),
  );
  const now = clock.now();
  try {
    const { challenge } = value;
    // Without CERTMGR_BASE_URL the origin follows the request. Pages of a subdomain can get responses for the
    // host above it, and could forward them under their own name.
    const rpId = rpIdOf(origin);
    if (passkey === undefined || userId !== null && passkey.user_id !== userId) {
      throw new Error("unknown passkey");
    }
    if (passkey.rp_id !== rpId) throw new Error(`created for another origin than ${origin}`);
    const count = await verifyPasskeyAnswer(given, { passkey, challenge, origin, rpId });
    await database.write(async (tx) => {
      await claim(tx, { setup, now, lifetime: SIGN_IN_MS });
      await tx.run(
        update(passkeys).set({ sign_count: sql`max(${passkeys.sign_count}, ${count})`, last_used: now })
          .where(eq(passkeys.id, passkey.id)),
      );
    });
    return passkey.user_id;
  } catch (cause) {
    if (cause instanceof AppError) throw cause;
    throw new AppError("unauthenticated", "The passkey was not accepted. Try again.", { cause });
  }
}

/** Marks a challenge as used, so that a copied response is worthless. */
async function claim(
  tx: Transaction,
  { setup, now, lifetime }: { setup: string; now: Millis; lifetime: Millis },
): Promise<void> {
  if (!await useOnce(tx, { hash: sha256Hex(setup), expires: now + lifetime, now })) throw expired();
}

async function readChallenge(
  { database, clock }: Deps,
  { setup, name }: { setup: string; name: string },
): Promise<ChallengeValue | undefined> {
  return Challenge.safeParse(await unseal(database, { name, sealed: setup, now: clock.now() })).data;
}

function parsed(response: string): unknown {
  try {
    return response.length > MAX_RESPONSE_CHARS ? undefined : JSON.parse(response);
  } catch {
    return undefined;
  }
}

function offered(
  known: readonly { credentialId: string; transports: readonly string[]; rpId: string }[],
  rpId: string,
): { id: string; transports: readonly string[] }[] {
  return known.filter((one) => one.rpId === rpId)
    .map(({ credentialId, transports }) => ({ id: credentialId, transports }));
}

function requireRpId(origin: string): string {
  const rpId = rpIdOf(origin);
  if (rpId !== undefined) return rpId;
  throw new AppError("conflict", `Passkeys need https and a host name. This page was opened at ${origin}.`);
}

function tooMany(): AppError {
  return new AppError(
    "conflict",
    `You have ${MAX_PASSKEYS_PER_USER} passkeys, which is the limit. Remove one first.`,
  );
}

function expired(): AppError {
  return new AppError("conflict", "This page has expired or was already submitted. Try again.");
}

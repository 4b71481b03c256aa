/** A user's authenticator app: set up with a first code, removed with the password. */

import { eq } from "drizzle-orm";
import { z } from "zod";
import { type Context, matchingStep, newTotpSecret, seal, totpUri, unseal } from "../../../auth/mod.ts";
import { AppError, invalid, notFound } from "../../../base/errors.ts";
import { deleteFrom, insertInto } from "../../../db/mod.ts";
import { authenticator_apps } from "../../../db/schema/mod.ts";
import { confirmPassword } from "../users/mod.ts";
import { afterAddition, afterRemoval, changeFactors, secondFactorsOf } from "./factors.ts";
import { type Setup, SETUP_MS, type WithPassword } from "./setup.ts";
import { ownUser } from "./own_user.ts";

const NAME = "authenticator_app";
const DETAIL = "authenticator app";
const SetupValue = z.object({ userId: z.int(), secret: z.string() });

/** A secret that the user adds to the app. */
export interface NewApp {
  /** State that the browser keeps until the first code is entered. */
  readonly setup: string;
  readonly secret: string;
  /** The secret as a URI for a QR code. */
  readonly uri: string;
}

/** Returns a new secret. Errors: invalid (`current`), conflict (an app is set up already), rate_limited. */
export async function beginApp(ctx: Context, given: WithPassword): Promise<NewApp> {
  const { userId, username } = ownUser(ctx);
  await confirmPassword(ctx, given);
  if ((await secondFactorsOf(ctx, userId)).app !== null) throw secondApp();
  const secret = newTotpSecret();
  const expires = ctx.clock.now() + SETUP_MS;
  return {
    setup: await seal(ctx.database, { name: NAME, value: { userId, secret }, expires }),
    ...shownApp(ctx, { secret, username }),
  };
}

/**
 * Returns the secret of a setup whose first code was wrong, to show it again. Errors: conflict (the setup has
 * expired).
 */
export async function resumeApp(ctx: Context, setup: string): Promise<NewApp> {
  const { secret } = await readSetup(ctx, setup);
  return { setup, ...shownApp(ctx, { secret, username: ctx.actor.username }) };
}

function shownApp(
  { baseUrl }: Context,
  { secret, username }: { secret: string; username: string },
): Omit<NewApp, "setup"> {
  const issuer = new URL(baseUrl).hostname;
  return { secret, uri: totpUri({ secret, account: username, issuer }) };
}

/**
 * Stores the app if the code is correct. Returns recovery codes if it is the user's first factor. Errors:
 * invalid (`code`), conflict (the setup has expired, or an app is set up already).
 */
export async function addApp(
  ctx: Context,
  { setup, code, keepSession }: Setup & { code: string },
): Promise<readonly string[]> {
  const { userId, secret } = await readSetup(ctx, setup);
  const now = ctx.clock.now();
  const last_step = matchingStep(secret, { code: code.replaceAll(" ", ""), now, after: 0 });
  if (last_step === undefined) {
    throw invalid({
      code: ["Wrong code. Check that your device's clock is correct, and enter the next code."],
    });
  }
  return await changeFactors(ctx, async (tx) => {
    const row = { user_id: userId, secret, last_step, created: now };
    if (await tx.run(insertInto(authenticator_apps).values(row).onConflictDoNothing()) === 0) {
      throw secondApp();
    }
    return await afterAddition({ ctx, tx, detail: DETAIL }, keepSession);
  });
}

/** Removes the app. Errors: invalid (`current`), not_found, rate_limited. */
export async function removeApp(ctx: Context, given: WithPassword): Promise<void> {
  await confirmPassword(ctx, given);
  await changeFactors(ctx, async (tx) => {
    const own = eq(authenticator_apps.user_id, ownUser(ctx).userId);
    if (await tx.run(deleteFrom(authenticator_apps).where(own)) === 0) throw notFound();
    await afterRemoval({ ctx, tx, detail: DETAIL });
  });
}

async function readSetup(ctx: Context, setup: string): Promise<z.output<typeof SetupValue>> {
  const sealed = await unseal(ctx.database, { name: NAME, sealed: setup, now: ctx.clock.now() });
  const value = SetupValue.safeParse(sealed);
  if (value.success && value.data.userId === ctx.actor.userId) return value.data;
  throw new AppError("conflict", "This setup has expired. Start again.");
}

function secondApp(): AppError {
  return new AppError("conflict", "An authenticator app is already set up. Remove it first.");
}

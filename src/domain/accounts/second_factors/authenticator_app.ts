/**
 * A user's authenticator app: set up with a first code, checked when signing in (like recovery codes), removed with the
 * password. Its codes (TOTP, RFC 6238) have the
 * parameters that all apps support. They are implemented here, because a library for these few lines adds 1.7 MB.
 */

import { eq } from "drizzle-orm";
import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import { z } from "zod";
import { type Context, seal, unseal } from "../../../auth/mod.ts";
import type { Millis } from "../../../base/clock.ts";
import { AppError, invalidField, notFound } from "../../../base/errors.ts";
import { SIGN_IN_FAILURES_PER_ACCOUNT, SIGN_IN_WINDOW_MS } from "../../../base/limits.ts";
import { deleteFrom, insertInto, select, type Transaction, update } from "../../../db/mod.ts";
import { authenticator_apps, code_failures } from "../../../db/schema/mod.ts";
import { recordAudit } from "../../system/audit_events/record_audit.ts";
import { confirmPassword } from "../users/confirm_password.ts";
import {
  afterAddition,
  afterRemoval,
  changeFactors,
  ownUser,
  secondFactorsOf,
  type Setup,
  SETUP_MS,
  useRecoveryCode,
  type WithPassword,
} from "./factors.ts";

/** Maximum length of a code that is read. */
const MAX_CODE_CHARS = 40;

/**
 * Checks a code, which can be used only once. Returns its kind, or undefined if it is wrong. After ten wrong
 * codes, all are refused for a while, from any address, because only someone who knows the password gets this
 * far. Errors: rate_limited.
 */
export async function checkCode(
  deps: Omit<Context, "actor">,
  { userId, username, code }: { userId: number; username: string; code: string },
): Promise<"authenticator app" | "recovery code" | undefined> {
  const now = deps.clock.now();
  const text = code.slice(0, MAX_CODE_CHARS).trim();
  // One transaction, so that concurrent attempts are counted and no code is accepted twice.
  return await deps.database.write(async (tx) => {
    const [failures] = await tx.all(
      select({ count: code_failures.count, until: code_failures.until }).from(code_failures)
        .where(eq(code_failures.user_id, userId)),
    );
    const recent = failures !== undefined && failures.until > now
      ? failures
      : { count: 0, until: now + SIGN_IN_WINDOW_MS };
    if (recent.count >= SIGN_IN_FAILURES_PER_ACCOUNT) throw tooMany(recent.until - now);
    const kind = await kindOf(tx, { userId, text, now });
    await tx.run(deleteFrom(code_failures).where(eq(code_failures.user_id, userId)));
    if (kind === undefined) {
      await tx.run(
        insertInto(code_failures).values({ user_id: userId, count: recent.count + 1, until: recent.until }),
      );
    }
    if (kind === "recovery code") {
      await recordAudit(tx, deps, [{ event: "recovery_code_used", userId, username }]);
    }
    return kind;
  });
}

async function kindOf(
  tx: Transaction,
  { userId, text, now }: { userId: number; text: string; now: number },
): Promise<"authenticator app" | "recovery code" | undefined> {
  const [app] = await tx.all(
    select({ secret: authenticator_apps.secret, after: authenticator_apps.last_step }).from(
      authenticator_apps,
    )
      .where(eq(authenticator_apps.user_id, userId)),
  );
  const step = app === undefined
    ? undefined
    : matchingStep(app.secret, { code: text.replaceAll(" ", ""), now, after: app.after });
  if (step === undefined) {
    return await useRecoveryCode(tx, { userId, code: text }) ? "recovery code" : undefined;
  }
  await tx.run(
    update(authenticator_apps).set({ last_step: step }).where(eq(authenticator_apps.user_id, userId)),
  );
  return "authenticator app";
}

function tooMany(ms: number): AppError {
  const seconds = Math.ceil(ms / 1000);
  return new AppError("rate_limited", `Too many wrong codes. Try again in ${seconds} seconds.`, {
    headers: { "Retry-After": String(seconds) },
  });
}

const TOTP_DIGITS = 6;
const STEP_MS: Millis = 30_000;
/** Number of steps by which the clocks of phone and service may differ, as RFC 6238 §5.2 recommends. */
const SKEW_STEPS = 1;
/** RFC 4226 §4 recommends 160 bits. */
const SECRET_BYTES = 20;
const BASE32 = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

/** Returns a new secret in Base32 (RFC 4648). */
export function newTotpSecret(): string {
  let bits = "";
  for (const byte of randomBytes(SECRET_BYTES)) bits += byte.toString(2).padStart(8, "0");
  return bits.replace(/.{5}/g, (five) => BASE32.charAt(Number.parseInt(five, 2)));
}

/** Returns the code of a time step (RFC 4226 §5.3). */
export function totpCode(secret: string, step: number): string {
  const counter = new DataView(new ArrayBuffer(8));
  counter.setBigUint64(0, BigInt(step));
  const hash = createHmac("sha1", bytesOf(secret)).update(new Uint8Array(counter.buffer)).digest();
  const number = hash.readUInt32BE((hash.at(-1) ?? 0) & 15) & 0x7fff_ffff;
  return String(number % 10 ** TOTP_DIGITS).padStart(TOTP_DIGITS, "0");
}

/**
 * Returns the time step of a code, which may be one earlier or later than now; undefined if the code is
 * wrong. A code of the step `after` or an earlier one is refused, because it was used.
 */
export function matchingStep(
  secret: string,
  { code, now, after }: { code: string; now: Millis; after: number },
): number | undefined {
  if (!new RegExp(`^\\d{${TOTP_DIGITS}}$`).test(code)) return undefined;
  const given = new TextEncoder().encode(code);
  const current = Math.floor(now / STEP_MS);
  let found: number | undefined;
  for (let step = current - SKEW_STEPS; step <= current + SKEW_STEPS; step++) {
    const same = timingSafeEqual(new TextEncoder().encode(totpCode(secret, step)), given);
    if (same && step > after) found = step;
  }
  return found;
}

/** Returns the URI that an authenticator app reads from a QR code. */
export function totpUri(
  { secret, account, issuer }: { secret: string; account: string; issuer: string },
): string {
  const query = new URLSearchParams({ secret, issuer });
  return `otpauth://totp/${encodeURIComponent(issuer)}:${encodeURIComponent(account)}?${query}`;
}

function bytesOf(secret: string): Uint8Array {
  let bits = "";
  for (const letter of secret) bits += BASE32.indexOf(letter).toString(2).padStart(5, "0");
  return Uint8Array.from(bits.match(/.{8}/g) ?? [], (byte) => Number.parseInt(byte, 2));
}

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
    throw invalidField("code", "wrong_code");
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

/** The second step of a sign-in, and sign-in with only a passkey. */

import { and, eq } from "drizzle-orm";
import { z } from "zod";
import {
  beginAttempt,
  type Context,
  type KnownUser,
  passwordMark,
  seal,
  unauthenticated,
  unseal,
} from "../../../auth/mod.ts";
import type { Millis } from "../../../base/clock.ts";
import { AppError, forbidden } from "../../../base/errors.ts";
import { select } from "../../../db/mod.ts";
import { users } from "../../../db/schema/mod.ts";
import { checkCode } from "../second_factors/authenticator_app.ts";
import { checkPasskey, type PasskeyRequest, requestPasskey } from "../second_factors/passkeys.ts";
import { secondFactorsOf } from "../second_factors/factors.ts";
import { type NewSession, openSession, recordFailedSignIn, type StartedSession } from "./web_sessions.ts";

const NAME = "second_step";
/** Maximum time between the two steps. */
const STEP_MS: Millis = 600_000;

const Step = z.object({ userId: z.int(), passwordMark: z.string() });

type Deps = Omit<Context, "actor">;

type SignInClient = Pick<NewSession, "address" | "userAgent">;

/**
 * Returns the state that the browser keeps between the password and the second factor. It becomes invalid
 * when the password changes.
 */
export async function beginSecondStep(
  { database, clock }: Deps,
  { userId, passwordMark }: KnownUser,
): Promise<string> {
  return await seal(database, {
    name: NAME,
    value: { userId, passwordMark },
    expires: clock.now() + STEP_MS,
  });
}

/** What a user can use after entering the password. */
export interface SecondStep {
  readonly userId: number;
  readonly username: string;
  readonly hasApp: boolean;
  readonly recoveryCodes: number;
  /** Absent if the user has no passkey for this address. */
  readonly passkey: PasskeyRequest | undefined;
}

/** Reads the state of {@link beginSecondStep}; undefined if it has expired or the account has changed. */
export async function readSecondStep(deps: Deps, sealed: string): Promise<SecondStep | undefined> {
  const step =
    Step.safeParse(await unseal(deps.database, { name: NAME, sealed, now: deps.clock.now() })).data;
  if (step === undefined || !deps.settings.signIn.local) return undefined;
  const { userId } = step;
  const [user] = await deps.database.all(
    select({ username: users.username, hash: users.password_hash }).from(users)
      .where(and(eq(users.id, userId), eq(users.is_active, 1))),
  );
  if (user === undefined || passwordMark(user.hash) !== step.passwordMark) return undefined;
  const { app, recoveryCodes } = await secondFactorsOf(deps, userId);
  const passkey = await requestPasskey(deps, userId);
  return { userId, username: user.username, hasApp: app !== null, recoveryCodes, passkey };
}

/** Finishes a sign-in with a code. Errors: unauthenticated (the code is wrong), rate_limited. */
export async function finishByCode(
  deps: Deps,
  { step: { userId, username }, code, client }: { step: SecondStep; code: string; client: SignInClient },
): Promise<StartedSession> {
  const kind = await checkCode(deps, { userId, username, code });
  if (kind === undefined) {
    await recordFailedSignIn(deps, { username, detail: "second factor, wrong code", ...client });
    throw unauthenticated("Wrong code. Enter the next code that your app shows, or a recovery code.");
  }
  return await openSession(deps, { userId, username, by: `password and ${kind}`, ...client });
}

/** Finishes a sign-in with a passkey of the user. Errors: unauthenticated, conflict (the page is too old). */
export async function finishByPasskey(
  deps: Deps,
  { step: { userId, username }, setup, response, client }: {
    step: SecondStep;
    setup: string;
    response: string;
    client: SignInClient;
  },
): Promise<StartedSession> {
  await passkeyUser(deps, { setup, response, userId, username, client });
  return await openSession(deps, { userId, username, by: "password and passkey", ...client });
}

/**
 * Signs in with only a passkey, which has asked for a PIN or a fingerprint. Errors: unauthenticated (also for
 * an inactive user), conflict (the page is too old), forbidden (only providers are accepted), rate_limited.
 */
export async function signInByPasskey(
  deps: Deps,
  { setup, response, client }: { setup: string; response: string; client: SignInClient },
): Promise<StartedSession> {
  if (!deps.settings.signIn.local) throw forbidden();
  const now = deps.clock.now();
  // Responses cannot be guessed. The limit protects the audit log, in which every failure is recorded.
  const attempt = beginAttempt({ database: deps.database, now }, {
    username: "passkey",
    address: client.address,
  });
  const userId = await passkeyUser(deps, { setup, response, userId: null, username: "", client });
  const [user] = await deps.database.all(
    select({ username: users.username, active: users.is_active }).from(users).where(eq(users.id, userId)),
  );
  if (user?.active !== 1) {
    await recordFailedSignIn(deps, {
      username: user?.username ?? "",
      detail: "passkey, inactive",
      ...client,
    });
    throw unauthenticated("The passkey was not accepted. Try again.");
  }
  attempt.succeed();
  return await openSession(deps, { userId, username: user.username, by: "passkey", ...client });
}

async function passkeyUser(
  deps: Deps,
  { username, client, ...given }: {
    setup: string;
    response: string;
    userId: number | null;
    username: string;
    client: SignInClient;
  },
): Promise<number> {
  return await checkPasskey(deps, given).catch(async (error) => {
    if (error instanceof AppError && error.code === "unauthenticated") {
      const cause = error.cause instanceof Error ? error.cause.message : "";
      await recordFailedSignIn(deps, { username, detail: `passkey: ${cause}`, ...client });
    }
    throw error;
  });
}

/** Sign-in with username and password. */

import { eq } from "drizzle-orm";
import { sha256Hex } from "../base/bytes.ts";
import type { AppError } from "../base/errors.ts";
import { select, update } from "../db/mod.ts";
import { users } from "../db/schema/mod.ts";
import type { AccountSource } from "./accounts.ts";
import { beginAttempt } from "./sign_in_attempts.ts";
import { unauthenticated } from "./authenticate.ts";
import { verifyPassword } from "./passwords.ts";

/** The credentials of a sign-in, and the client's address. */
export interface SignIn {
  readonly username: string;
  readonly password: string;
  readonly address: string | null;
}

/** A user whose password was verified. */
export interface KnownUser {
  readonly userId: number;
  /** Changes with the password, but does not reveal it. */
  readonly passwordMark: string;
  readonly hasSecondFactor: boolean;
}

/**
 * Verifies username and password, and returns the user. Records the time of the sign-in, unless a second
 * factor must follow. An unknown name, a wrong password and an inactive user have the same response after the
 * same time. Errors: unauthenticated, rate_limited, unavailable.
 */
export async function signIn({ database, clock }: AccountSource, credentials: SignIn): Promise<KnownUser> {
  const attempt = beginAttempt({ database, now: clock.now() }, credentials);
  await attempt.wait();
  const { id, password_hash, is_active, has_second_factor } = users;
  const [user] = await database.all(
    select({ id, password_hash, is_active, has_second_factor }).from(users)
      .where(eq(users.username, credentials.username)),
  );
  const matches = await verifyPassword(credentials.password, user?.password_hash ?? null).catch((error) => {
    attempt.withdraw();
    throw error;
  });
  if (!matches || user === undefined || user.is_active !== 1) throw wrongPassword();
  attempt.succeed();
  const hasSecondFactor = user.has_second_factor === 1;
  // Without a change record, because no user changed anything.
  if (!hasSecondFactor) {
    await database.write((tx) =>
      tx.run(update(users).set({ last_login: clock.now() }).where(eq(id, user.id)))
    );
  }
  return { userId: user.id, passwordMark: passwordMark(user.password_hash), hasSecondFactor };
}

/** Returns a text that changes with the password. */
export function passwordMark(hash: string | null): string {
  return sha256Hex(hash ?? "").slice(0, 16);
}

function wrongPassword(): AppError {
  return unauthenticated("Invalid username/password");
}

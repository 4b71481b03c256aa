/** Sign-in with username and password. */

import { sql } from "drizzle-orm";
import type { AppError } from "../base/errors.ts";
import type { AccountSource } from "./actor_cache.ts";
import { beginAttempt } from "./sign_in_attempts.ts";
import { unauthenticated } from "./authenticate.ts";
import { verifyPassword } from "./passwords.ts";

/** Credentials of a sign-in and the client address. */
export interface SignIn {
  readonly username: string;
  readonly password: string;
  readonly address: string | null;
}

/**
 * Verifies username and password, records the sign-in and returns the user's id. An unknown name, a wrong password
 * and an inactive user give the same response after the same time. Errors: unauthenticated, rate_limited, unavailable.
 */
export async function signIn({ database, clock }: AccountSource, credentials: SignIn): Promise<number> {
  const attempt = beginAttempt({ database, now: clock.now() }, credentials);
  await attempt.wait();
  const [user] = await database.all<{ id: number; password_hash: string | null; is_active: number }>(
    sql`SELECT id, password_hash, is_active FROM users WHERE username = ${credentials.username}`,
  );
  const matches = await verifyPassword(credentials.password, user?.password_hash ?? null).catch((error) => {
    attempt.withdraw();
    throw error;
  });
  if (!matches || user === undefined || user.is_active !== 1) throw wrongPassword();
  attempt.succeed();
  // Not a change by a user: no change record.
  await database.write((tx) =>
    tx.run(sql`UPDATE users SET last_login = ${clock.now()} WHERE id = ${user.id}`)
  );
  return user.id;
}

function wrongPassword(): AppError {
  return unauthenticated("Invalid username/password");
}

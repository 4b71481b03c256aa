/** Signing in with username and password. */

import { sql } from "drizzle-orm";
import type { AppError } from "../base/errors.ts";
import type { AccountSource } from "./actor_cache.ts";
import { beginAttempt } from "./sign_in_attempts.ts";
import { unauthenticated } from "./authenticate.ts";
import { verifyPassword } from "./passwords.ts";

/** What a person gives to be let in, and from where. */
export interface SignIn {
  readonly username: string;
  readonly password: string;
  readonly address: string | null;
}

/**
 * The id of the active user with this name and password; notes the sign-in. An unknown name, a wrong password and an
 * inactive user look and last the same. Errors: unauthenticated, rate_limited, unavailable.
 */
export async function signIn({ database, clock }: AccountSource, given: SignIn): Promise<number> {
  const attempt = beginAttempt({ database, now: clock.now() }, given);
  await attempt.wait();
  const [user] = await database.all<{ id: number; password_hash: string | null; is_active: number }>(
    sql`SELECT id, password_hash, is_active FROM users WHERE username = ${given.username}`,
  );
  const known = await verifyPassword(given.password, user?.password_hash ?? null).catch((error) => {
    attempt.withdraw();
    throw error;
  });
  if (!known || user === undefined || user.is_active !== 1) throw wrongPassword();
  attempt.succeed();
  // No change of the account: nothing is recorded.
  await database.write((tx) =>
    tx.run(sql`UPDATE users SET last_login = ${clock.now()} WHERE id = ${user.id}`)
  );
  return user.id;
}

function wrongPassword(): AppError {
  return unauthenticated("Invalid username/password");
}

/** Password hashes that take almost no time. */

import { randomBytes, scryptSync } from "node:crypto";

/**
 * Returns a hash that the service verifies like its own, in a fraction of a millisecond: a hash contains its cost
 * parameters, and this one has the lowest ones. It is for users who sign in often in tests; `passwords_test.ts` tests
 * the real cost.
 */
export function quickHash(password: string): string {
  const salt = randomBytes(16);
  const hash = scryptSync(password, salt, 32, { N: 2, r: 1, p: 1 });
  const [saltText, hashText] = [salt, hash].map((bytes) => bytes.toString("base64").replaceAll("=", ""));
  return `$scrypt$ln=1,r=1,p=1$${saltText}$${hashText}`;
}

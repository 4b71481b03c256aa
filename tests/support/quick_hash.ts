/** Password hashes that cost next to nothing. */

import { randomBytes, scryptSync } from "node:crypto";

/**
 * Returns a hash that the service verifies like its own, in a fraction of a millisecond: a hash says what it costs, and
 * this one says the least there is. For users of tests who sign in often; `passwords_test.ts` is about the real cost.
 */
export function quickHash(password: string): string {
  const salt = randomBytes(16);
  const hash = scryptSync(password, salt, 32, { N: 2, r: 1, p: 1 });
  const [saltText, hashText] = [salt, hash].map((bytes) => bytes.toString("base64").replaceAll("=", ""));
  return `$scrypt$ln=1,r=1,p=1$${saltText}$${hashText}`;
}

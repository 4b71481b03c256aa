/** The format of keys and passwords. */

import { type Finding, finding } from "./findings.ts";
import { MAX_PASSWORD_CHARS, MIN_PASSWORD_CHARS } from "./limits.ts";

/** Length of a token's key: letters and digits, 238 bits of entropy. */
export const KEY_CHARS = 40;
const KEY = new RegExp(`^[A-Za-z0-9]{${KEY_CHARS}}$`);

/** Returns whether a text has the format of a key. */
export function isKey(text: string): boolean {
  return KEY.test(text);
}

/** Returns why a text is not acceptable as a password; undefined if it is. */
export function passwordFault(password: string): Finding | undefined {
  const length = password.length > 2 * MAX_PASSWORD_CHARS ? password.length : [...password].length;
  if (length < MIN_PASSWORD_CHARS) return finding("too_short", { min: MIN_PASSWORD_CHARS });
  return length > MAX_PASSWORD_CHARS ? finding("too_long", { max: MAX_PASSWORD_CHARS }) : undefined;
}

/** The format of keys and passwords. */

import { MAX_PASSWORD_CHARS, MIN_PASSWORD_CHARS } from "./limits.ts";

/** Length of a token's key: letters and digits, 238 bits of entropy. */
export const KEY_CHARS = 40;
const KEY = new RegExp(`^[A-Za-z0-9]{${KEY_CHARS}}$`);

/** Returns whether a text has the format of a key. */
export function isKey(text: string): boolean {
  return KEY.test(text);
}

/** Returns why a text is not acceptable as a password; undefined if it is. */
export function passwordFault(password: string): string | undefined {
  const length = password.length > 2 * MAX_PASSWORD_CHARS ? password.length : [...password].length;
  if (length < MIN_PASSWORD_CHARS) return `Ensure this field has at least ${MIN_PASSWORD_CHARS} characters.`;
  if (length > MAX_PASSWORD_CHARS) {
    return `Ensure this field has no more than ${MAX_PASSWORD_CHARS} characters.`;
  }
  return undefined;
}

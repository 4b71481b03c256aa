/** Reads serial numbers and fingerprints as programs and people write them. Pure. */

import { type Finding, finding } from "../findings.ts";
import { visible } from "../quote.ts";

/** Longer texts are no number. */
const MAX_CHARS = 400;
/** OpenSSL writes short serial numbers as `1234 (0x4d2)`. */
const BOTH = /^(\d{1,20}) ?\(0x([0-9a-f]{1,16})\)$/i;
/** What programs write before the digits. */
const LABEL = /^(?:serial(?: ?number)?|sha-?256(?: fingerprint)?) ?[:=#] ?/i;

/**
 * Returns the hexadecimal digits of a text, without separators and invisible characters, and without the prefix `0x` or
 * the suffix `h`; undefined for other texts, such as negative or rounded numbers.
 */
export function readHexDigits(text: string): string | undefined {
  if (text.length > MAX_CHARS) return undefined;
  const plain = visible(text).replace(/^'/, "").replace(LABEL, "");
  const [, decimal, digits] = BOTH.exec(plain) ?? [];
  if (decimal !== undefined && digits !== undefined) {
    return BigInt(decimal) === BigInt(`0x${digits}`) ? digits : undefined;
  }
  const [, inner = plain] = /^\((.*)\)$/.exec(plain) ?? [];
  const [, prefixed, suffixed] = /^(?:0x(.+)|(.+)h)$/i.exec(inner) ?? [];
  const groups = (prefixed ?? suffixed ?? inner).replaceAll(/^:|:$/g, "");
  return /^[0-9a-f]+(?:[ :-]+[0-9a-f]+)*$/i.test(groups) ? groups.replaceAll(/[ :-]/g, "") : undefined;
}

/** Returns what is wrong with a text that is not only digits and colons, with the digits that can be meant. */
export function hexFinding(
  text: string,
  { expected, value, digits: [least, most] = [1, Infinity] }: {
    readonly expected: string;
    /** The quoted text. */
    readonly value: string;
    readonly digits?: readonly [number, number];
  },
): Finding {
  if (/^\s*\d(?:[.,]\d+)?E\+\d+\s*$/i.test(text)) {
    return finding("rounded_number", { expected, value });
  }
  const digits = readHexDigits(text) ?? "";
  const isMeant = digits !== text.replaceAll(":", "") && digits.length >= least && digits.length <= most;
  return finding("invalid_hex", { expected, value, suggestion: isMeant ? digits : undefined });
}

/** Normalizes cells from spreadsheets. Ambiguous cells stay unchanged. */

import { LIST_SEPARATOR } from "../../../formats/mod.ts";
import { readingOf, type SlashOrder } from "./date_spellings.ts";

/**
 * A DNS name (with or without a wildcard), an IP address or an e-mail address, with or without the prefix of
 * its kind.
 */
const PLAIN_NAME = /^(?:(?:DNS|IP|email):)?[\w.*:@+-]+$/i;

/** Other words for algorithms. */
const ALGORITHMS: Readonly<Record<string, string>> = { ec: "ecdsa", ecc: "ecdsa", eddsa: "ed25519" };

/** Columns with dates. */
export const DATE_COLUMNS = ["valid_from", "valid_to"] as const;

/**
 * Returns the cells of a row, with lists separated by semicolons, choices in lower case, and dates as
 * YYYY-MM-DD if they have only one reading.
 */
export function normalizeCells(
  cells: Readonly<Record<string, unknown>>,
  order?: SlashOrder,
): Record<string, unknown> {
  const tidy: Record<string, unknown> = { ...cells };
  if (typeof tidy.sans === "string") tidy.sans = tidyNames(tidy.sans);
  if (typeof tidy.tags === "string") tidy.tags = tidy.tags.replaceAll(/\s*,\s*/g, LIST_SEPARATOR);
  for (const name of ["algorithm", "status"]) {
    if (typeof tidy[name] === "string") tidy[name] = tidy[name].trim().toLowerCase();
  }
  for (const name of DATE_COLUMNS) {
    const date = tidy[name];
    if (typeof date === "string") tidy[name] = readingOf(date, order) ?? date;
  }
  if (typeof tidy.algorithm === "string") tidy.algorithm = ALGORITHMS[tidy.algorithm] ?? tidy.algorithm;
  return tidy;
}

/**
 * Splits names at commas, spaces and line ends if each part is a plain name. Directory names contain commas
 * themselves.
 */
function tidyNames(text: string): string {
  if (text.includes(LIST_SEPARATOR)) return text;
  const parts = text.replaceAll(/\bIP Address:\s*/gi, "IP:").replaceAll(/\b(DNS|IP|email):\s+/gi, "$1:")
    .split(/[,\s]+/).filter((one) => one !== "");
  return parts.every((one) => PLAIN_NAME.test(one)) ? parts.join(LIST_SEPARATOR) : text;
}

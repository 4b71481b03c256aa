/** Normalizes cells from spreadsheets. Ambiguous cells stay unchanged. */

import { type DateDecision, readDate } from "../../../base/spellings/dates.ts";
import { LIST_SEPARATOR } from "../../../formats/mod.ts";
import { ALGORITHMS, STATUSES } from "../mod.ts";
import type { Values } from "../../../resource/mod.ts";

/** Columns with dates. */
export const DATE_COLUMNS = ["valid_from", "valid_to"] as const;

/** How the dates of each column are read, by column and style. */
export type DateDecisions = Readonly<Record<string, ReadonlyMap<string, DateDecision>>>;

/** Returns whether a cell can contain a date; JSON can have it as a number. */
export function isDateText(value: unknown): value is string | number {
  return typeof value === "string" || typeof value === "number";
}

/**
 * Returns the cells of a row, with lists separated by semicolons, choices in lower case, the size of a key in the column
 * of its own, and dates in ISO 8601 if they have only one reading or their column decides.
 */
export function normalizeCells(
  cells: Readonly<Values>,
  decisions: DateDecisions = {},
): Values {
  const tidy: Values = { ...cells };
  if (typeof tidy.tags === "string") tidy.tags = tidy.tags.replaceAll(/\s*,\s*/g, LIST_SEPARATOR);
  if (typeof tidy.status === "string") tidy.status = statusMeant(tidy.status);
  for (const name of DATE_COLUMNS) {
    const date = tidy[name];
    if (isDateText(date)) tidy[name] = readDate(String(date), decisions[name]) ?? date;
  }
  return { ...tidy, ...keyCells(tidy) };
}

/** Returns a status in lower case; another text unchanged, because errors quote it. */
function statusMeant(text: string): string {
  const status = text.trim().toLowerCase();
  return STATUSES.some((one) => one === status) ? status : text;
}

/** Returns the cells of a key that is written in one cell, unless the size is another one in its own column. */
function keyCells(
  { algorithm: text, key_size: size }: Readonly<Values>,
): Values {
  const key = typeof text === "string" ? readKeyNotation(text) : undefined;
  if (key === undefined) return {};
  if (key.size === undefined) return { algorithm: key.algorithm };
  const given = String(size ?? "").trim();
  return given === "" || given === key.size ? { algorithm: key.algorithm, key_size: key.size } : {};
}

/** Other words for algorithms. */
const WORDS: Readonly<Record<string, string>> = { ec: "ecdsa", ecc: "ecdsa", eddsa: "ed25519" };

/** A word, and the bits of the key or the name of a NIST curve: "RSA (2048 bit)", "EC secp256r1". */
const WITH_SIZE =
  /^(?<word>[a-z]+)[\s_-]*\(?(?:(?<bits>\d{3,5})(?:[\s-]*bits?)?|(?:p-?|secp|prime)(?<curve>\d{3})(?:[rv]1)?)\)?$/;
/** Longer texts are no keys. */
const MAX_KEY_CHARS = 40;

/** An algorithm, and the size of the key if the text has it. */
interface KeyNotation {
  readonly algorithm: string;
  readonly size?: string;
}

/**
 * Returns the algorithm and the size that a text means: "RSA 2048", "ECDSA P-256", "EC 256", "Ed25519"; undefined for
 * other texts.
 */
export function readKeyNotation(text: string): KeyNotation | undefined {
  const word = text.trim().toLowerCase();
  if (word.length > MAX_KEY_CHARS) return undefined;
  const plain = algorithmOf(word);
  if (plain !== undefined) return { algorithm: plain };
  const parts = WITH_SIZE.exec(word)?.groups;
  const algorithm = algorithmOf(parts?.word ?? "");
  const size = parts?.bits ?? parts?.curve;
  if (size === undefined || (algorithm !== "rsa" && algorithm !== "ecdsa")) return undefined;
  return algorithm === "rsa" && parts?.curve !== undefined ? undefined : { algorithm, size };
}

function algorithmOf(word: string): string | undefined {
  const algorithm = WORDS[word] ?? word;
  return ALGORITHMS.find((one) => one === algorithm);
}

/** Reads keys as people and programs write them: "RSA 2048", "ECDSA P-256", "EC 256", "Ed25519". Pure. */

import { ALGORITHMS } from "../mod.ts";

/** Other words for algorithms. */
const WORDS: Readonly<Record<string, string>> = { ec: "ecdsa", ecc: "ecdsa", eddsa: "ed25519" };

/** A word, and the bits of the key or the name of a NIST curve: "RSA (2048 bit)", "EC secp256r1". */
const WITH_SIZE =
  /^(?<word>[a-z]+)[\s_-]*\(?(?:(?<bits>\d{3,5})(?:[\s-]*bits?)?|(?:p-?|secp|prime)(?<curve>\d{3})(?:[rv]1)?)\)?$/;
/** Longer texts are no keys. */
const MAX_CHARS = 40;

/** An algorithm, and the size of the key if the text has it. */
interface KeyNotation {
  readonly algorithm: string;
  readonly size?: string;
}

/** Returns the algorithm and the size that a text means; undefined for other texts. */
export function readKeyNotation(text: string): KeyNotation | undefined {
  const word = text.trim().toLowerCase();
  if (word.length > MAX_CHARS) return undefined;
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

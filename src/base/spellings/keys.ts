/** Reads keys as people and programs write them: an algorithm, also with its size. Pure. */

/** Words for algorithms. */
const WORDS: Readonly<Record<string, string>> = {
  ...{ rsa: "rsa", ecdsa: "ecdsa", ec: "ecdsa", ecc: "ecdsa" },
  ...{ ed25519: "ed25519", eddsa: "ed25519", unknown: "unknown" },
};

/** A word, and the bits of the key or the name of a NIST curve: "RSA (2048 bit)", "EC secp256r1". */
const WITH_SIZE =
  /^(?<word>[a-z]+)[\s_-]*\(?(?:(?<bits>\d{3,5})(?:[\s-]*bits?)?|(?:p-?|secp|prime)(?<curve>\d{3})(?:[rv]1)?)\)?$/;
/** Longer texts are no keys. */
const MAX_KEY_CHARS = 40;

/** An algorithm, and the size of the key if the text has it. */
export interface KeyNotation {
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
  if (Object.hasOwn(WORDS, word)) return { algorithm: WORDS[word] ?? word };
  const parts = WITH_SIZE.exec(word)?.groups;
  const algorithm = Object.hasOwn(WORDS, parts?.word ?? "") ? WORDS[parts?.word ?? ""] : undefined;
  const size = parts?.bits ?? parts?.curve;
  if (size === undefined || (algorithm !== "rsa" && algorithm !== "ecdsa")) return undefined;
  return algorithm === "rsa" && parts?.curve !== undefined ? undefined : { algorithm, size };
}

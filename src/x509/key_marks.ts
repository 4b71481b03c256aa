/**
 * Recognizes private keys in formats that are text: PEM and its relatives by their markers and the encoded
 * text next to them, and the formats that write each number of a key after its name (`openssl rsa -text`,
 * JWK, .NET's XML and JSON, BIND). Markers and names alone are prose. Takes linear time.
 */

import { HEX } from "./key_notations.ts";

/** Length of the longest part of a text that identifies a key, with its escapes. */
export const MAX_MARK = 1024;
/** Characters around the word PRIVATE that are searched for the rest of a PEM marker, however mangled. */
const MARKER_WINDOW = { before: 64, after: 40 };
/** Characters after BEGIN and before END that are searched for the key, after any header lines. */
const BODY_WINDOW = 640;
/** Encoded characters that make a body a key: fewer contain no key. */
const MIN_BODY = 24;
/** Encoded characters in a row that are a key whatever is around them. */
const MIN_CODE = 40;
/** Rounds of escapes, such as a percent-encoded JSON text in JSON. */
const MAX_ROUNDS = 4;

const DASH = "[-\u2010-\u2015\u2212]";
/** White space and dashes around a line, with quotes of JSON and mail. */
const SHORT_NOISE = new RegExp(`^[\\s>"',]+|[\\s"',]+$|${DASH}{2,}`, "g");
const NEXT_MARKER = new RegExp(`${DASH}\\s*(?:BEGIN|END)`);
/** Formats with words or digits that nothing else has. */
const FORMATS = new RegExp(
  [
    "openssh-key-v1\0",
    "SSH PRIVATE KEY FILE FORMAT",
    "Private-Lines:\\s*\\d+(?:[^A-Za-z0-9]|\\\\[rn]){0,60}[A-Za-z0-9+/]{16}", // PuTTY
    "AGE-SECRET-KEY-(?:PQ-)?1[02-9AC-HJ-NP-Z]{40}", // age, bech32
    "age-secret-key-(?:pq-)?1[02-9ac-hj-np-z]{40}",
    "RWR(?:TY0Iy|CSw)[A-Za-z0-9+/]{60}", // minisign and signify
    "\\((?:21:)?protected-private-key[\\s(]|\\(11:private-key\\(", // S-expressions of libgcrypt, GnuPG
    "<(?:D|DP|DQ|InverseQ)>\\s*[A-Za-z0-9+/]{16}", // .NET, XML signatures
    // openssl asn1parse: a version, and a large number or the number of an elliptic curve key
    "INTEGER\\s+:0[01]\\b[^A-Z]{0,80}(?:INTEGER\\s+|OCTET STRING\\s+\\[HEX DUMP\\]):[0-9A-F]{28}",
  ].join("|"),
);
/** .NET's DSA key; the public point of an elliptic curve key has an X, too. */
const DSA_NUMBER = /<X>\s*[A-Za-z0-9+/]{16}/;
/** The number of a line, and what surrounds it. */
const LINE_NUMBER = "[^A-Za-z0-9]{0,9}\\d{1,6}:?[^A-Za-z0-9:]{1,20}";
/** The name of a private number, and its beginning: pairs of hex digits, or a row of digits (1). */
const NAMED_NUMBER = new RegExp(
  "(?:priv(?:ate)?(?:[ _-]?(?:exponent|key|value|scalar))?(?:[ _-]?\\(?hex\\)?)?|prime[ _-]?[12pq])" +
    "[\"'\\\\\\s]{0,8}[:=]" +
    // The lines may be quoted, in a table, or numbered.
    `(?:[^A-Za-z0-9]{0,60}(?:${LINE_NUMBER})?` +
    `(?:[0-9a-f]{2}(?::[^A-Za-z0-9]{0,40}|:\\s{1,9}${LINE_NUMBER}|\\s{1,40})){13}[0-9a-f]{2}|` +
    // Not a UUID, which names a key.
    `["'\\\\\\s([+]{0,60}(?![0-9a-f]{8}-[0-9a-f]{4}-)([a-z0-9+/_-]{${MIN_CODE},80}))`,
  "gi",
);
/** Words of the formats whose private number is named `d`: JWK, .NET, Go and Python. */
const KEY_FORMAT = /kty|crv|[Mm]odulus|[Ee]xponent|[Ii]nverseQ|[Cc]urve|[Pp]rimes|PrivateNumbers|RsaKey/;
/** The member `d`, also if its quotes are escaped or missing, or if it is a list of bytes. */
const MEMBER_D =
  /(?<![A-Za-z0-9_-])[dD][\\"'\s]{0,6}[:=][\\"'\s]{0,6}(?:[A-Za-z0-9+/_-]{16}|\[(?:\s{0,8}\d{1,3}\s{0,8},){15})/;
/** The member `d` of an S-expression `(private-key (rsa …))`. */
const SEXP_D = /\(d\s{1,9}#(?:[0-9A-Fa-f]\s{0,40}){28}/;
const ESCAPE =
  /<br *\/?>|((?:%[0-9A-Fa-f]{2})+)|&#(?:x0{0,4}([0-9A-Fa-f]{2})|0{0,4}(\d{2,3}));|&(quot|lt|gt|amp|apos|sol|plus|equals|Tab|NewLine);|\\(?:x([0-9A-Fa-f]{2})|u00([0-9A-Fa-f]{2})|([nrt"'\\/]))/g;
const ENTITIES: Record<string, string> = {
  quot: '"',
  lt: "<",
  gt: ">",
  amp: "&",
  apos: "'",
  sol: "/",
  plus: "+",
  equals: "=",
};

/** Returns whether a text, or what its escapes stand for, holds a key in a text format. Works in slices. */
export function* searchingMarks(text: string): Generator<void, boolean> {
  let part = text;
  for (let round = 0;; round++) {
    if (holdsPlainMarks(part)) return true;
    if (round === MAX_ROUNDS || !/[%&\\]|<br/.test(part)) return false;
    yield;
    const plain = part.replace(ESCAPE, unescaped);
    if (plain === part) return false;
    yield;
    part = plain;
  }
}

function unescaped(escape: string, ...groups: (string | undefined)[]): string {
  if (escape.startsWith("<")) return "\n";
  const [percents, hex, decimal, entity, x, u, character] = groups;
  if (percents !== undefined) return HEX.decode(percents.replaceAll("%", ""));
  if (entity !== undefined) return ENTITIES[entity] ?? " ";
  if (character !== undefined) return /[nrt]/.test(character) ? " " : character;
  return String.fromCharCode(
    decimal === undefined ? parseInt((hex ?? x ?? u)!, 16) : Number(decimal),
  );
}

function holdsPlainMarks(text: string): boolean {
  return holdsMarker(text) || FORMATS.test(text) || holdsNamedNumber(text) ||
    (text.includes("private-key") && SEXP_D.test(text)) ||
    (text.includes("<DSAKeyValue") && DSA_NUMBER.test(text)) ||
    (KEY_FORMAT.test(text) && MEMBER_D.test(text));
}

function holdsNamedNumber(text: string): boolean {
  for (const [, digits] of text.matchAll(NAMED_NUMBER)) {
    if (digits === undefined || /^(?:0x)?[0-9a-f]{38}/i.test(digits)) return true;
    // Base64 has capitals; the identifier of a key in a vault, after its path, is hex.
    if (/[A-Z]/.test(digits) && isEncoded(digits.slice(0, 24)) && isEncoded(digits.slice(-24))) return true;
  }
  return false;
}

/**
 * Returns whether the text has `-----BEGIN … PRIVATE KEY-----` or its END, with anything but letters in
 * between, or PGP's `… BLOCK`, and encoded text after BEGIN or before END.
 */
function holdsMarker(text: string): boolean {
  for (let at = text.indexOf("PRIVATE"); at !== -1; at = text.indexOf("PRIVATE", at + 7)) {
    const around = text.slice(Math.max(0, at - MARKER_WINDOW.before), at + MARKER_WINDOW.after);
    if (!around.includes("KEY") || !(around.includes("BEGIN") || around.includes("END"))) continue;
    // Escapes (`\n`, `%20`) leave at most a few digits behind. Word processors turn hyphens into dashes.
    const bare = around.replace(/[\u2010-\u2015\u2212]/g, "--").replace(/[^A-Z0-9-]/g, "");
    if (!/--(?:BEGIN|END)[A-Z0-9]*PRIVATE[0-9A-D]{0,8}KEY[0-9A-D]{0,8}(?:BLOCK)?(?:-|$)/.test(bare)) continue;
    const before = text.slice(Math.max(0, at - MARKER_WINDOW.before), at);
    if (before.lastIndexOf("BEGIN") > before.lastIndexOf("END")) {
      const after = text.slice(at + 7, at + BODY_WINDOW).replace(/^[^]*?KEY(?:\s*BLOCK)?/, "");
      const [body = "", next] = after.split(NEXT_MARKER, 2);
      if (isBody(body) || (next !== undefined && isShortBody(body))) return true;
    } else {
      const end = at - before.length + before.lastIndexOf("END");
      if (isBody(text.slice(Math.max(0, end - BODY_WINDOW), end).split(NEXT_MARKER).at(-1) ?? "")) {
        return true;
      }
    }
  }
  return false;
}

/** Returns whether a text between markers is base64, however short: each line has one word, not all letters. */
function isShortBody(text: string): boolean {
  const lines = text.split(/(?:[\r\n]|\\[nr]|<br *\/?>|%0[AD])+/i).map((line) =>
    line.replaceAll(SHORT_NOISE, "")
  );
  const words = lines.filter(Boolean);
  return words.length > 0 && words.every((word) => /^[A-Za-z0-9+/]+={0,2}$/.test(word)) &&
    /[0-9+=]|AAAA|[a-z][A-Z]/.test(words.join(""));
}

/** Returns whether most words of a text are encoded, or a long one is. */
function isBody(text: string): boolean {
  let encoded = 0;
  let all = 0;
  for (const [word] of text.matchAll(/[A-Za-z0-9+/_]{4,}/g)) {
    all += word.length;
    if (!isEncoded(word)) continue;
    if (word.length >= MIN_CODE) return true;
    encoded += word.length;
  }
  // Base64 of zeros does not alternate.
  return (encoded >= MIN_BODY && encoded * 2 >= all) || /A{24}/.test(text);
}

/**
 * Returns whether a word looks like base64 or hex, where lower case, upper case and digits alternate more
 * often than in names, paths and numbers.
 */
function isEncoded(word: string): boolean {
  let changes = 0;
  let before = "";
  for (const character of word) {
    const kind = character >= "a"
      ? "a"
      : character >= "A" && character <= "Z"
      ? "A"
      : character <= "9" && character >= "0"
      ? "0"
      : "";
    if (kind !== "" && before !== "" && kind !== before) changes++;
    before = kind;
  }
  return changes * 4 >= word.length;
}

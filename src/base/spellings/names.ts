/** Reads subject alternative names as programs and people write them. Pure. */

import { visible } from "../quote.ts";

/** What programs write before or after a name, and the prefix with which the inventory stores it. */
const KINDS: readonly (readonly [words: string, prefix: string])[] = [
  [String.raw`dns(?:[ -]?name)?(?:\.\d+)?`, ""],
  [String.raw`ip(?:[ -]?add?ress[e]?)?(?:\.\d+)?`, "IP:"],
  [String.raw`(?:rfc822(?:[ -]?name)?|e-?mail)(?:\.\d+)?`, "email:"],
  [String.raw`(?:uri|url)(?:\.\d+)?`, "URI:"],
];
/** Words of other languages in front of those of a kind. */
const LOCAL =
  /\b(?:nom(?:e|bre)?|adresse|direcci[o\u00f3]n|indirizzo|endere[c\u00e7]o) (?=(?:dns|ip)\s*[:=])/gi;
const WORDS = KINDS.map(([words]) => words).join("|");
const BEFORE = KINDS.map(([words, prefix]) =>
  [new RegExp(`^(?:${words})\\s*[:=]\\s*`, "i"), prefix] as const
);
const AFTER = KINDS.map(([words, prefix]) => [new RegExp(`\\s*\\((?:${words})\\)$`, "i"), prefix] as const);
/** Ends of lines, and separators in front of a prefix: other names, such as those of directories, contain commas. */
const PARTS = new RegExp(
  String
    .raw`[\r\n]+|<br *\/?>|\\[rn]|(?<![,;|&\/\s])[,;|&\/\s]+(?=(?:${WORDS}|dirname|othername|rid|registered id) ?[:=])`,
  "i",
);
/** A prefix of a kind whose names contain separators themselves. */
const OTHER_KIND = /^(?:URI:|[a-z][a-z0-9 -]*[:=](?=.*=|.*\s))/i;
/** What comes before the names of a list: the number of a line, or OpenSSL's word for a critical extension. */
const PREAMBLE = /^(?:\d+[.)] +|critical$)/i;
/** Signs of a notation that was not recognized, which no host name or address has. */
const UNKNOWN_NOTATION = /[[\](){}<>'"/\\&+=]/;
/** Names that may have them: URLs, addresses in brackets, mail addresses. */
const WITH_SIGNS = /^(?:[a-z][a-z0-9+.-]*:\/\/|\[[0-9a-f:.]+\]$|[^@]+@[^@]+$)/i;
/** A name that is not a plain word, so that blanks before and after it separate names. */
const RECOGNIZED = /[.:@]/;

/** A host name, which most names are: no prefix, and nothing that could divide it. */
const HOST = /^[A-Za-z0-9.*_-]+$/;

/**
 * Returns the names of a text, with the prefixes of the inventory; undefined if it has separators but cannot be divided
 * into names. An element of a list is one name.
 * @param isKnown Returns whether a certificate has exactly this name.
 */
export function readNames(
  text: string,
  isKnown: (name: string) => boolean = () => false,
): string[] | undefined {
  if (HOST.test(text)) return [text];
  const list = listOf(text)?.map((one) => isKnown(one) ? [one] : readElement(one));
  const read = all(list ?? text.replace(LOCAL, "").split(PARTS).map((part) => readPart(visible(part))));
  // Asked only about texts that would change.
  return read?.[0] === text || !isKnown(text) ? read : [text];
}

function readElement(text: string): string[] | undefined {
  const names = readNames(text);
  return visible(text) === text && names !== undefined && names.length < 2 ? names : undefined;
}

/** Returns names as a cell that {@link readNames} reads or refuses: joined if it can be divided again, otherwise as JSON. */
export function writeNames(names: readonly string[]): string {
  const joined = names.join(";");
  if (names.every((name) => HOST.test(name))) return joined;
  const read = joined.split(";").map((one) => readNames(one));
  if (JSON.stringify(all(read)) === JSON.stringify(names)) return joined;
  return JSON.stringify(names.map((name) => {
    const [one] = readElement(name) ?? [];
    // A host name that begins like a prefix needs one itself.
    return one === undefined || one === name ? name : `DNS:${name}`;
  }));
}

function readPart(given: string): string[] | undefined {
  const part = given.replace(PREAMBLE, "");
  if (part === "") return [];
  const [before, prefix = ""] = BEFORE.find(([words]) => words.test(part)) ?? [];
  const [after, suffix = prefix] = AFTER.find(([words]) => words.test(part)) ?? [];
  const name = part.replace(before ?? "", "").replace(after ?? "", "");
  if (suffix === "URI:" || (before === undefined && OTHER_KIND.test(part))) return [suffix + name];
  const names = name.split(/[,;|\uff0c\uff1b\u3001]/).map((one) => one.trim()).filter((one) =>
    one.replace(PREAMBLE, "") !== ""
  ).map((one) => {
    const words = one.split(" ");
    if (words.some((word) => UNKNOWN_NOTATION.test(word) && !WITH_SIGNS.test(word))) return undefined;
    return words.length === 1 || words.every((word) => RECOGNIZED.test(word)) ? words : undefined;
  });
  // Parts of a name of another kind, such as "CN=a, O=b".
  if (names.length > 1 && name.includes("=")) return undefined;
  return all(names)?.map((one) => suffix + one);
}

function all(lists: readonly (readonly string[] | undefined)[]): string[] | undefined {
  return lists.includes(undefined) ? undefined : lists.flatMap((names) => names ?? []);
}

/** Reads a list in the notation of JSON or Python; undefined for other texts. */
function listOf(text: string): string[] | undefined {
  if (!/^\s*\[.*\]\s*$/s.test(text)) return undefined;
  for (const json of [text, text.replaceAll("'", '"')]) {
    try {
      const list: unknown = JSON.parse(json);
      if (Array.isArray(list) && list.every((one) => typeof one === "string")) return list;
    } catch { /* Not JSON: an IPv6 address in brackets, for example. */ }
  }
  return undefined;
}

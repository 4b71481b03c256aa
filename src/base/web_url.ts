/** Web addresses as people and programs give them. */

/** URL parsers skip these without a word (WHATWG URL, "basic URL parser"), so that what is stored is not what is sent. */
// deno-lint-ignore no-control-regex -- control characters are just what is looked for
const SKIPPED = /[\x00-\x20\x7f-\xa0\u2028\u2029\\]/;

/** The reason for which a text is no http or https URL with a host; undefined for one that is. */
export function webUrlFault(text: string): string | undefined {
  if (SKIPPED.test(text)) return "The URL must not contain blanks, backslashes or control characters.";
  const url = URL.parse(text);
  if (url === null) return "Enter a valid URL.";
  if (url.protocol !== "https:" && url.protocol !== "http:") return "Only http and https URLs are allowed.";
  // Parsers read "https:///path" and "https:path" as the host "path".
  return /^https?:\/\/[^/?#]/i.test(text) ? undefined : 'The URL must have a host after "//".';
}

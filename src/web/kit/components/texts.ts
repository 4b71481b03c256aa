/** Texts in one line, names within sentences that are plain text, and URLs that differ in a few parameters. */

/** Returns the beginning of a long text, without splitting characters. */
export function truncate(text: string, most = 80): string {
  return text.length <= most ? text : `${text.slice(0, most).toWellFormed().replace(/\ufffd$/, "")}…`;
}

/** FIRST STRONG ISOLATE and POP DIRECTIONAL ISOLATE (Unicode UAX #9 §2.4). */
const [OPEN, CLOSE] = ["\u2068", "\u2069"];
/** Characters that can change the order of the text around them: controls, and letters of right-to-left scripts. */
const REORDERING =
  /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]|[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}\p{Script=Adlam}]/u;

/** Returns a name whose characters, also right-to-left marks, cannot reorder the sentence around it. */
export function isolate(name: string): string {
  return REORDERING.test(name) ? `${OPEN}${balanced(name)}${CLOSE}` : name;
}

/** Returns a text that closes the isolates that it opens, and no others. */
function balanced(text: string): string {
  let open = 0;
  const kept = [...text].filter((char) => {
    if (/[\u2066-\u2068]/.test(char)) open++;
    else if (char === CLOSE) return open > 0 && open-- > 0;
    return true;
  });
  return kept.join("") + CLOSE.repeat(open);
}

/** Returns path and query of `url` with some parameters changed; null removes one, a list repeats one. */
export function withQuery(
  url: URL,
  changes: Readonly<Record<string, string | number | readonly string[] | null>>,
): string {
  const query = new URLSearchParams(url.search);
  for (const [name, value] of Object.entries(changes)) {
    if (typeof value === "object") {
      query.delete(name);
      for (const one of value ?? []) query.append(name, one);
    } else query.set(name, String(value));
  }
  const text = query.toString();
  return text === "" ? url.pathname : `${url.pathname}?${text}`;
}

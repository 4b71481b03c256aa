/** URLs that differ in a few parameters. */

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

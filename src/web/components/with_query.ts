/** URLs that differ in a few parameters. */

/** Returns path and query of `url` with some parameters changed; null removes one. */
export function withQuery(url: URL, changes: Readonly<Record<string, string | number | null>>): string {
  const query = new URLSearchParams(url.search);
  for (const [name, value] of Object.entries(changes)) {
    if (value === null) query.delete(name);
    else query.set(name, String(value));
  }
  const text = query.toString();
  return text === "" ? url.pathname : `${url.pathname}?${text}`;
}

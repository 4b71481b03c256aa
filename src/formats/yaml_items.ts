/** Splits a YAML list into the texts of its items. */

/** Maximum length of the comments and directives in front of the list. */
const MAX_HEAD_CHARS = 16 * 1024;

/** Returns whether a text begins with a YAML list. */
export function isYamlList(text: string): boolean {
  return yamlItems(text.slice(0, 4_096), 1) !== undefined;
}

/**
 * Returns the texts of the first `max` items; undefined if the text is not a list. Only items begin with a dash at the
 * start of a line.
 */
export function yamlItems(text: string, max: number): string[] | undefined {
  const list = text.startsWith("\ufeff") ? text.slice(1) : text;
  const starts: number[] = [];
  // Items beyond the limit are not searched: a text may have millions.
  for (const { index } of list.matchAll(/(?<=^|[\r\n])- /g)) if (starts.push(index) > max) break;
  const [first = Infinity] = starts;
  if (first > MAX_HEAD_CHARS) return undefined;
  const head = list.slice(0, first).split(/\r\n?|\n/);
  if (!head.every((line) => /^(?:%YAML .*|---|#.*|\s*)$/.test(line))) return undefined;
  return starts.slice(0, max).map((start, index) => {
    const next = starts[index + 1];
    return next === undefined ? list.slice(start) : list.slice(start, next).replace(/(?:\r\n|\r|\n)$/, "");
  });
}

/** Splits a YAML list into the texts of its items. */

/** Returns whether a text begins with a YAML list. */
export function isYamlList(text: string): boolean {
  return yamlItems(text.slice(0, 4_096)) !== undefined;
}

/**
 * Returns the text of each item; undefined if the text is not a list. Only items begin with a dash at the
 * start of a line.
 */
export function yamlItems(text: string): string[] | undefined {
  // The line break in front makes the first item look like the others.
  const lines = `\n${text.replace(/^\ufeff/, "").replaceAll(/\r\n?/g, "\n")}`;
  const [head = "", ...items] = lines.split(/\n(?=- )/);
  const isHead = head.split("\n").every((line) => /^(?:%YAML .*|---|#.*|\s*)$/.test(line));
  return isHead && items.length > 0 ? items : undefined;
}

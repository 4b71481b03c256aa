/** Tables in a Markdown document. */

/**
 * Returns the cells of a table below a heading, row by row, without the header row.
 * @param heading with its marks: `## Limits`. Its section ends with the next heading of any level.
 * @param nth index of the table in the section; by default the first.
 */
export function tableBelow(
  document: string,
  heading: string,
  { nth = 0 }: { nth?: number } = {},
): string[][] {
  const section = document.split(`\n${heading}\n`)[1]?.split(/\n#+ /)[0] ?? "";
  const tables = section.trim().split(/\n\n+/).filter((part) => part.startsWith("|"));
  return (tables[nth] ?? "").split("\n").slice(2).map((line) =>
    line.replace(/^\||\|$/g, "").split("|").map((cell) => cell.trim())
  );
}

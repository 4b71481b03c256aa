/** Numbers in the texts of pages. */

/**
 * Made once, because `toLocaleString` makes one for each number, which is a tenth of a list; and not at the start,
 * because the first format of a process loads language data.
 */
let format: Intl.NumberFormat | undefined;

/** Returns a number with separators of thousands. */
export function numberText(value: number): string {
  format ??= new Intl.NumberFormat("en");
  return format.format(value);
}

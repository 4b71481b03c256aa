/** Numbers in the texts of pages. */

/**
 * Created once, because `toLocaleString` creates one for each number, which takes a tenth of the time of a list; and
 * not at the start, because the first format of a process loads language data.
 */
let format: Intl.NumberFormat | undefined;

/** Returns a number with thousands separators. */
export function numberText(value: number): string {
  format ??= new Intl.NumberFormat("en");
  return format.format(value);
}

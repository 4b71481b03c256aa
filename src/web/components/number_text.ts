/** Numbers in the texts of pages. */

/** Made once: `toLocaleString` makes one for each number, which is a tenth of a list. */
const FORMAT = new Intl.NumberFormat("en");

/** Returns a number with separators of thousands. */
export function numberText(value: number): string {
  return FORMAT.format(value);
}

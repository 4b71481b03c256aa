/** Numbers in the texts of pages. */

/**
 * Created once, because `toLocaleString` creates one for each number, which takes a tenth of the time of a list; and
 * not at the start, because the first format of a process loads language data.
 */
let format: Intl.NumberFormat | undefined;

/** Returns a percentage with one decimal, except for none and all. */
export function percentText(value: number): string {
  return `${value === 0 || value === 100 ? value : value.toFixed(1)} %`;
}

/** Returns a number with thousands separators. */
export function numberText(value: number): string {
  format ??= new Intl.NumberFormat("en");
  return format.format(value);
}

/** Sizes and counts as text for people. */

const UNITS = ["bytes", "KB", "MB"] as const;

/**
 * Formats a size as `900 bytes`, `12 KB` or `5.25 MB` (1 KB = 1,024 bytes), precisely enough to differ from a
 * limit.
 */
export function sizeText(bytes: number): string {
  const power = bytes < 1_024 ? 0 : bytes < 1_024 ** 2 ? 1 : 2;
  const exact = bytes / 1_024 ** power;
  const rounded = Math.ceil(exact * 100) / 100;
  return `${rounded.toLocaleString("en-US", { maximumFractionDigits: 2 })} ${UNITS[power]}`;
}

/** Formats a count with its noun: `1 row`, `2 rows`. */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}

/** Sizes for people. */

const UNITS = ["bytes", "KB", "MB"] as const;

/** `900 bytes`, `12 KB`, `5 MB`, `5.25 MB`: of 1,024 each; not rounded so far that a limit and what is beyond look alike. */
export function sizeText(bytes: number): string {
  const power = bytes < 1_024 ? 0 : bytes < 1_024 ** 2 ? 1 : 2;
  const exact = bytes / 1_024 ** power;
  const rounded = Math.ceil(exact * 100) / 100;
  return `${rounded.toLocaleString("en-US", { maximumFractionDigits: 2 })} ${UNITS[power]}`;
}

/** Shortens texts to one line. */

/** Returns the beginning of a long text, without splitting characters. */
export function truncate(text: string, most = 80): string {
  return text.length <= most ? text : `${text.slice(0, most).toWellFormed().replace(/\ufffd$/, "")}…`;
}

/** Shortens a long name in the middle: host names differ at both ends. `www.very-lo…ple.example`. */
export function truncateMiddle(text: string, max = 44): string {
  // A character takes at most two units of a string.
  if (text.length <= max || text.length <= 2 * max && [...text].length <= max) return text;
  const half = Math.floor((max - 1) / 2);
  const [head, tail] = [[...text.slice(0, 2 * half)], [...text.slice(-2 * half)]];
  return `${head.slice(0, half).join("")}…${tail.slice(-half).join("")}`.toWellFormed();
}

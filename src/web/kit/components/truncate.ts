/** Shortens texts to one line. */

/** Returns the beginning of a long text, without splitting characters. */
export function truncate(text: string, most = 80): string {
  return text.length <= most ? text : `${text.slice(0, most).toWellFormed().replace(/\ufffd$/, "")}…`;
}

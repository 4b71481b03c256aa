/** Long texts where there is room for a line. */

/** The beginning of a long text, whole characters only. */
export function truncate(text: string, most = 80): string {
  return text.length <= most ? text : `${text.slice(0, most).toWellFormed().replace(/\ufffd$/, "")}…`;
}

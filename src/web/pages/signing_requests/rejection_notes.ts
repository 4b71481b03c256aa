/** The reason of a rejection, which is a paragraph of the request's notes. Pure. */

/** Why a request was rejected, by whom, and on which day. */
export interface Rejection {
  readonly day: string;
  readonly user: string;
  readonly reason: string;
}

/** Maximum characters of a reason: it is shown completely on the page of the request. */
export const MAX_REASON_CHARS = 500;

const PARAGRAPH = /^Rejected on (\d{4}-\d\d-\d\d) by (.+?): (.+)$/s;

/** Returns notes with a rejection as their last paragraph. */
export function withRejection(notes: string, { day, user, reason }: Rejection): string {
  const lines = reason.split(/\s*\n\s*/).join("\n");
  const paragraph = `Rejected on ${day} by ${user}: ${lines}`;
  return notes.trim() === "" ? paragraph : `${notes.trimEnd()}\n\n${paragraph}`;
}

/** Returns the last rejection in notes; undefined if they have none. */
export function lastRejection(notes: string): Rejection | undefined {
  const paragraphs = notes.split(/\r?\n\s*\n/).map((one) => PARAGRAPH.exec(one.trim()));
  const [, day, user, reason] = paragraphs.findLast((one) => one !== null) ?? [];
  return day === undefined || user === undefined || reason === undefined ? undefined : { day, user, reason };
}

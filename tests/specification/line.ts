/** A line of the specification with the tests that prove it. */

/** A statement of the specification. */
export interface Line {
  readonly id: string;
  /** The heading above it. */
  readonly chapter: string;
  /** A short summary. */
  readonly says: string;
  /**
   * Titles of the tests that prove it. `A title…` means every test whose title begins with this; `A title › words`
   * means a case in the table of that test, found by its words.
   */
  readonly provenBy: readonly string[];
}

/** Returns the lines of a chapter, with `prefix` before their ids. */
export function chapter(
  name: string,
  prefix: string,
  { lines }: { lines: readonly (readonly [id: string, says: string, ...provenBy: string[]])[] },
): Line[] {
  return lines.map(([id, says, ...provenBy]) => ({ id: `${prefix}.${id}`, chapter: name, says, provenBy }));
}

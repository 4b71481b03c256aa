/** How a line of the specification and its proof are written down. */

/** One statement of the specification. */
export interface Line {
  readonly id: string;
  /** The heading above it. */
  readonly chapter: string;
  /** In a few words of our own. */
  readonly says: string;
  /**
   * Titles of the tests that prove it. `A title…` means every test whose title begins so; `A title › words` means
   * one case in the table of that test, found by its words.
   */
  readonly provenBy: readonly string[];
}

/** The lines of one chapter; ids get `prefix` before them. */
export function chapter(
  name: string,
  prefix: string,
  { lines }: { lines: readonly (readonly [id: string, says: string, ...provenBy: string[]])[] },
): Line[] {
  return lines.map(([id, says, ...provenBy]) => ({ id: `${prefix}.${id}`, chapter: name, says, provenBy }));
}

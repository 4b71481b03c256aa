/** The rows of a list. */

import type { SQL } from "drizzle-orm";
import type { TrigramQuery } from "../../filters/mod.ts";

/**
 * The field that a search compares first. The others matter only for rows in which it does not contain the
 * text.
 */
export interface LeadingField {
  /** An index of its column. */
  readonly index: string;
  /** Condition for the rows in which it contains the text. */
  readonly condition: SQL;
}

/** The rows of a list, as a condition in two forms with the same result. */
export interface ListedRows {
  /** The condition that finds texts with their trigram index; undefined for all rows. */
  readonly condition: SQL | undefined;
  /**
   * The condition that compares each row, which is faster if a text is so common that a page is soon full.
   */
  readonly scanning: SQL | undefined;
  /** The searches of `condition` in the trigram index. */
  readonly searched: readonly TrigramQuery[];
  /** Set if the list only searches for a text, in all fields or in this one. */
  readonly leading: LeadingField | undefined;
  /** Whether the list contains all rows of its table except those that are set aside. */
  readonly unfiltered: boolean;
}

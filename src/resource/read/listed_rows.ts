/** The rows of a list. */

import type { SQL } from "drizzle-orm";

/** The rows of a list, as a condition in two forms with the same result. */
export interface ListedRows {
  /** The condition that finds texts with their trigram index; undefined for all rows. */
  readonly condition: SQL | undefined;
  /**
   * The condition that compares each row, which is faster if a text is so common that a page is soon full.
   */
  readonly scanning: SQL | undefined;
  /** Whether `condition` uses a trigram index. */
  readonly searched: boolean;
  /** Whether the list contains all rows of its table except those that are set aside. */
  readonly unfiltered: boolean;
}

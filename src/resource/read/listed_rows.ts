/** Which rows a list has. */

import type { SQL } from "drizzle-orm";
import type { TrigramQuery } from "../../filters/mod.ts";

/** The field that a search compares first; the others matter only to rows in which it lacks the text. */
export interface LeadingField {
  /** An index over its column. */
  readonly index: string;
  /** Condition of the rows in which it has the text. */
  readonly condition: SQL;
}

/** The rows of a list, as a condition in two forms with the same result. */
export interface ListedRows {
  /** Condition that finds texts by their trigram index; undefined for all rows. */
  readonly condition: SQL | undefined;
  /** The same, but each row is compared: cheaper where a text is so common that a page is full soon. */
  readonly scanning: SQL | undefined;
  /** The searches of `condition` in the trigram index. */
  readonly searched: readonly TrigramQuery[];
  /** Set if the list searches for a text, in all fields or in this one, and nothing else. */
  readonly leading: LeadingField | undefined;
  /** Whether the list has all rows of its table except those that are set aside. */
  readonly unfiltered: boolean;
}

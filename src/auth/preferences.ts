/** How a user wants pages to be shown. It is read with the session, because every page needs it. */

/** Columns and rows of a list; what is absent is as usual. */
export interface ListPreferences {
  readonly columns?: readonly string[];
  /** Rows of a page. */
  readonly limit?: number;
}

export interface Preferences {
  /** Name of a time zone, such as `Europe/Berlin`; empty: that of the browser. */
  readonly timeZone: string;
  /** By object type. */
  readonly lists: Readonly<Record<string, ListPreferences>>;
}

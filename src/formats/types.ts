/** What goes into a document, and how a format writes it. */

/** One value: a scalar, or a list of texts. */
export type ExportValue = string | number | boolean | null | readonly string[];

/** One row: values by field name, in the order in which they are written. */
export type ExportRow = Readonly<Record<string, ExportValue>>;

/** Writes one document of one format; holds a row at the most, so that a document may be of any length. */
export interface Writer {
  /** What stands before the first row. */
  readonly begin: string;
  /** The text of some rows in pieces; `written` rows of the document went before. */
  readonly rows: (rows: readonly ExportRow[], written: number) => Iterable<string>;
  /** What stands after the last one of `written` rows. */
  readonly end: (written: number) => string;
}

/** A form of document. */
export interface Format {
  readonly mediaType: string;
  /** End of the file name, without a dot. */
  readonly extension: string;
  /** What it writes of a row when that is not the caller's choice. */
  readonly fields?: (options: { readonly chain: boolean }) => readonly string[];
  /** Whether the PEM text has a place in it when it is asked for as such. */
  readonly takesPem: boolean;
  /** A writer of rows that have these fields. */
  readonly writer: (fields: readonly string[]) => Writer;
}

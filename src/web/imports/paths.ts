/** Paths of the import pages. */

/** The form for one bundle. */
export const SINGLE = "/certificates/import/";
/** The form for tables. */
export const BULK = "/certificates/bulk-import/";
/** A preview's key in a path. */
export const KEY = ":key{[A-Za-z0-9]+}";

/** A preview's own page. */
export function previewPath(key: string): string {
  return `${BULK}${key}/`;
}

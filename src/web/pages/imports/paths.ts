/** Paths of the import pages. */

/** The form for all imports. */
export const ADD = "/certificates/add/";
/** Previews of tables. */
const PREVIEWS = `${ADD}preview/`;
/** The form for one certificate, as PEM or field by field. */
export const NEW = "/certificates/new/";
/** The form for one certificate, field by field. */
export const MANUAL = "/certificates/enter/";
/** A preview's page in Hono's notation. */
export const PREVIEW = `${PREVIEWS}:key{[A-Za-z0-9]+}/`;

/** Former paths of the form. */
export const MOVED: Readonly<Record<string, string>> = {
  "/certificates/import/": ADD,
  "/certificates/bulk-import/": ADD,
};

/** Returns the path of a preview's page. */
export function previewPath(key: string): string {
  return `${PREVIEWS}${key}/`;
}

/**
 * Saved views of lists: filters, order and columns under a name, for a user or for everyone who may view the
 * list.
 */

export {
  LISTED_TYPES,
  MAX_SAVED_VIEWS_PER_USER,
  MAX_VIEW_NAME_CHARS,
  type SavedView,
  savedViews,
} from "./resource.ts";

/** Saved views of lists: filters, order and columns under a name, for their user or for everyone who may view the list. */

export { LISTED_TYPES, savedViews } from "./resource.ts";

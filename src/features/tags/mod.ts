/** Tags. */

export { tags, tagsField } from "./resource.ts";

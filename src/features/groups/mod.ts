/** Groups of users. */

export { readIds, recordedLinks } from "./recorded_links.ts";
export { groups } from "./resource.ts";

/** Groups of users. */

export { recordedLinks } from "./recorded_links.ts";
export { groups } from "./resource.ts";

/** Services. */

export { services } from "./resource.ts";

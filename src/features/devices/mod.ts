/** Devices. */

export { devices } from "./resource.ts";

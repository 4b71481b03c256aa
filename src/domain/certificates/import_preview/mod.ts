/** Previews of bulk imports. */

export { confirmPreview } from "./create_preview.ts";
export * from "./create_preview.ts";
export * from "./read_preview.ts";
export { refreshPreview } from "./plan_preview.ts";
export * from "./preview.ts";
export * from "./read_preview.ts";

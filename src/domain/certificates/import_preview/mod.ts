/** Previews of bulk imports (specification, "What the service does", point 9). */

export { confirmPreview } from "./confirm_preview.ts";
export { createPreview, type PreviewInput } from "./create_preview.ts";
export { discardPreview } from "./discard_preview.ts";
export {
  type DocumentError,
  isReady,
  type PreviewCell,
  type PreviewHead,
  type PreviewRow,
  type RowStatus,
  totalOf,
} from "./preview.ts";
export { prunePreviews } from "./prune_previews.ts";
export {
  listPreviews,
  type PreviewPage,
  readPreview,
  readPreviewContent,
  readPreviewRow,
  type WholeRow,
} from "./read_preview.ts";
export { refreshPreview } from "./refresh_preview.ts";

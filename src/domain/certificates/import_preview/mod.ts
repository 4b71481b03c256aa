/** Previews of bulk imports. */

export { confirmPreview } from "./confirm_preview.ts";
export { createPreview, type PreviewInput } from "./create_preview.ts";
export { discardPreview } from "./discard_preview.ts";
export { chooseColumns, editCells } from "./edit_preview.ts";
export type { Edits } from "./find_preview.ts";
export {
  type DocumentError,
  hasValidRows,
  type Heading,
  isReady,
  isTable,
  type PreviewCell,
  type PreviewHead,
  type PreviewRow,
  type RowStatus,
  totalOf,
} from "./preview.ts";
export { prunePreviews } from "./prune_previews.ts";
export {
  type FullRow,
  listPreviews,
  type PreviewPage,
  readPreview,
  readPreviewContent,
  readPreviewRow,
} from "./read_preview.ts";
export { failedRows } from "./rows_as_csv.ts";
export { refreshPreview } from "./refresh_preview.ts";
export { retryFailed } from "./retry_failed.ts";

/** Previews of bulk imports. */

export { confirmPreview } from "./confirm_preview.ts";
export { createPreview, discardPreview, type PreviewInput, prunePreviews } from "./create_preview.ts";
export { chooseColumns, type ColumnChoice, editCells, type RepeatedCell } from "./edit_preview.ts";
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
  totalOf,
} from "./preview.ts";
export {
  type ErrorKind,
  type FullRow,
  listPreviews,
  type PreviewPage,
  readPreview,
  readPreviewContent,
  readPreviewRow,
  repeatedKey,
} from "./read_preview.ts";
export { failedRows, retryFailed } from "./rows_as_csv.ts";
export { refreshPreview } from "./refresh_preview.ts";

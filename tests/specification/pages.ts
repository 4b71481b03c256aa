/** Lines about the web pages that the specification requires. */

import { chapter, type Line } from "./line.ts";

/** The page of bulk imports (point 9) and the form for one bundle (point 10). */
export const PAGE_LINES: readonly Line[] = [
  ...chapter("What the service does: pages of imports", "page", {
    lines: [
      [
        "bulk.sources",
        "pasted CSV or JSON, or a file; the format is detected",
        "Bulk import page: it accepts a pasted text or a file, and shows its limits",
        "Bulk import page: a pasted CSV is previewed, confirmed and imported",
        "Bulk import page: a pasted JSON is previewed, confirmed and imported",
        "Bulk import page: a file of CSV is previewed, confirmed and imported",
        "Bulk import page: a file of JSON with another name is previewed, confirmed and imported",
        "Import preview: the format is detected…",
      ],
      [
        "bulk.validated",
        "every row is validated",
        "Import preview: every row is validated, counts show the expected results, and nothing is imported",
        "Import preview: rows that cannot be read are shown with the reason",
      ],
      [
        "bulk.preview",
        "a preview table flags rows with errors",
        "Bulk import page: invalid cells are marked with their messages, and nothing can be confirmed",
        "Bulk import page: rows with errors are shown, fifty at a time",
        "Import preview: a preview with errors is not imported, not even in part",
      ],
      [
        "bulk.confirm",
        "confirming the preview creates the certificates",
        "Import preview: confirming creates every row and links it to its certificate",
        "Import preview: two tabs that confirm at the same time create everything once",
        "Import preview: errors that have arisen since are shown, and nothing is imported",
      ],
      [
        "single.blob",
        "the form takes a concatenated PEM blob",
        "Import page: a pasted text of several blocks: the certificates found are shown, then each block becomes a separate record",
      ],
      [
        "single.blocks",
        "each block is parsed as a separate record",
        "Import inspection: PEM text: each certificate is shown with its details, its role and its issuer",
        "Import inspection: blocks that cannot be read are reported with their place, next to those that can",
        "Import inspection: each certificate is imported as the inspection says",
      ],
    ],
  }),
  ...chapter("Limits: the page of bulk imports", "page_limit", {
    lines: [
      [
        "file",
        "5 MB of an uploaded file by default",
        "Bulk import page: the limit of a file is 5 MB by default, and a larger file is refused with both sizes",
        "Import preview: a file that is larger than the limit is refused on the document",
        "Import preview: a text that is larger than the limit is refused on the document",
        "Import preview: the limit of a file is a setting",
        "CERTMGR_IMPORT_FILE_MAX_BYTES is read",
        "CERTMGR_IMPORT_FILE_MAX_BYTES has its default when it is absent, and when it is empty",
      ],
    ],
  }),
];

/** The import pages: a bundle of certificates, and tables. */

import type { Route } from "../call.ts";
import { bulkForm, makePreview } from "./bulk_form.tsx";
import { importForm, inspectUpload, storeInspected } from "./import_form.tsx";
import { saveColumns } from "./mapping_form.tsx";
import { confirm, discard, downloadFailed, refreshPage, showPreview } from "./preview_page.tsx";
import { saveCells, showRow } from "./preview_row.tsx";
import { csvTemplate, jsonTemplate } from "./templates.ts";
import { BULK, KEY, SINGLE } from "./paths.ts";

export const importRoutes: readonly Route[] = [
  { method: "GET", path: SINGLE, handle: importForm },
  { method: "POST", path: SINGLE, handle: inspectUpload },
  { method: "POST", path: `${SINGLE}store/`, handle: storeInspected },
  { method: "GET", path: BULK, handle: bulkForm },
  { method: "POST", path: BULK, handle: makePreview },
  { method: "GET", path: `${BULK}template.csv`, handle: csvTemplate },
  { method: "GET", path: `${BULK}template.json`, handle: jsonTemplate },
  { method: "GET", path: `${BULK}${KEY}/`, handle: showPreview },
  { method: "GET", path: `${BULK}${KEY}/rows/:place{[0-9]+}/`, handle: showRow },
  { method: "POST", path: `${BULK}${KEY}/rows/`, handle: saveCells },
  { method: "POST", path: `${BULK}${KEY}/columns/`, handle: saveColumns },
  { method: "GET", path: `${BULK}${KEY}/failed-rows.csv`, handle: downloadFailed },
  { method: "POST", path: `${BULK}${KEY}/confirm/`, handle: confirm },
  { method: "POST", path: `${BULK}${KEY}/refresh/`, handle: refreshPage },
  { method: "POST", path: `${BULK}${KEY}/discard/`, handle: discard },
];

/** The pages that add certificates: files, pasted texts, and tables with a preview. */

import type { Route } from "../../call.ts";
import { addForm, readAdded } from "./add_form.tsx";
import { storeInspected } from "./inspected.tsx";
import { confirm, discard, downloadFailed, refreshPage, retry, showPreview } from "./preview_page.tsx";
import { saveCells, showRow } from "./preview_row.tsx";
import { saveColumns } from "./mapping_form.tsx";
import { csvTemplate, jsonTemplate } from "./table_help.tsx";
import { ADD, PREVIEW } from "./paths.tsx";

export { ADD, AddButton, addPath, MOVED } from "./paths.tsx";
export { GuardedForm } from "./form_page.tsx";
export { checkNew, redirectRenewed } from "./import_result.ts";
export { reasonOf, ReasonSelect, SUCCESSOR } from "./renewable.tsx";
export { lostNote, type WarningNote, warningNotes } from "./renewal_warnings.ts";
export { refusePkcs12 } from "./sources.ts";

export const importRoutes: readonly Route[] = [
  { method: "GET", path: ADD, handle: addForm },
  { method: "POST", path: ADD, handle: readAdded },
  { method: "POST", path: `${ADD}store/`, handle: storeInspected },
  { method: "GET", path: `${ADD}template.csv`, handle: csvTemplate },
  { method: "GET", path: `${ADD}template.json`, handle: jsonTemplate },
  { method: "GET", path: PREVIEW, handle: showPreview },
  { method: "GET", path: `${PREVIEW}rows/:place{[0-9]+}/`, handle: showRow },
  { method: "POST", path: `${PREVIEW}rows/`, handle: saveCells },
  { method: "POST", path: `${PREVIEW}columns/`, handle: saveColumns },
  { method: "GET", path: `${PREVIEW}failed-rows.csv`, handle: downloadFailed },
  { method: "POST", path: `${PREVIEW}confirm/`, handle: confirm },
  { method: "POST", path: `${PREVIEW}retry/`, handle: retry },
  { method: "POST", path: `${PREVIEW}refresh/`, handle: refreshPage },
  { method: "POST", path: `${PREVIEW}discard/`, handle: discard },
];

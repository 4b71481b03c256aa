/** The pages that add certificates: files, pasted texts, and tables with a preview. */

import type { Route } from "../../call.ts";
import { addForm, readAdded } from "./add_form.tsx";
import { storeInspected } from "./add_form.tsx";
import { confirm, discard, downloadFailed, showPreview } from "./preview_page.tsx";
import { saveColumns } from "./mapping_form.tsx";
import { saveCells } from "./save_cells.ts";
import { csvTemplate } from "./table_help.tsx";
import { ADD, PREVIEW } from "./paths.tsx";

export { ADD, AddButton, MOVED } from "./paths.tsx";
export { GuardedForm } from "./form_page.tsx";
export { checkNew } from "./add_form.tsx";
export { lostNote, reasonOf, ReasonSelect, type WarningNote, warningNotes } from "./renewable.tsx";
export { Counts, expectedParts, sentencesOf } from "./preview_parts.tsx";
export { filesOf, refusePkcs12 } from "./sources.ts";

export const importRoutes: readonly Route[] = [
  { method: "GET", path: ADD, handle: addForm },
  { method: "POST", path: ADD, handle: readAdded },
  { method: "POST", path: `${ADD}store/`, handle: storeInspected },
  { method: "GET", path: `${ADD}template.csv`, handle: csvTemplate },
  { method: "GET", path: PREVIEW, handle: showPreview },
  { method: "POST", path: `${PREVIEW}rows/`, handle: saveCells },
  { method: "POST", path: `${PREVIEW}columns/`, handle: saveColumns },
  { method: "GET", path: `${PREVIEW}failed-rows.csv`, handle: downloadFailed },
  { method: "POST", path: `${PREVIEW}confirm/`, handle: confirm },
  { method: "POST", path: `${PREVIEW}discard/`, handle: discard },
];

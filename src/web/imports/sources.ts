/** Reads the source of an import form: pasted text or a file. */

import { invalid } from "../../base/errors.ts";
import { textOf } from "../forms.ts";

/** Name of the file's field in both forms. */
export const FILE = "file";

/** Returns the text, or the bytes of the file. Errors: invalid (both are given), at `field`. */
export async function sourceOf(form: FormData, field: string): Promise<string | Uint8Array> {
  const text = textOf(form, field);
  const file = form.get(FILE);
  // Browsers send an empty file without name if none is chosen.
  if (!(file instanceof File) || (file.size === 0 && file.name === "")) return text;
  if (text.trim() !== "") throw invalid({ [field]: ["Paste text or choose a file, not both."] });
  return await file.bytes();
}

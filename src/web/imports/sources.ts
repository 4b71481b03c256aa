/** What a form of an import brings: a pasted text or a chosen file. */

import { invalid } from "../../base/errors.ts";
import { textOf } from "../forms.ts";

/** Name of the file's field in both forms. */
export const FILE = "file";

/** The text, or the bytes of the file. Errors: invalid, when both are there, on `field`. */
export async function sourceOf(form: FormData, field: string): Promise<string | Uint8Array> {
  const text = textOf(form, field);
  const file = form.get(FILE);
  // A browser sends a nameless, empty file where none was chosen.
  if (!(file instanceof File) || (file.size === 0 && file.name === "")) return text;
  if (text.trim() !== "") throw invalid({ [field]: ["Paste text or choose a file, not both."] });
  return await file.bytes();
}

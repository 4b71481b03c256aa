/** Reads the source of the form: pasted text or files. */

import { sizeText } from "../../../base/amounts.ts";
import { invalidField } from "../../../base/errors.ts";
import { MAX_PEM_TEXT_BYTES } from "../../../base/limits.ts";
import { mayBulkImport, type SourceFile, tableFormatOf } from "../../../domain/certificates/import/mod.ts";
import { isPkcs12 } from "../../../x509/mod.ts";
import type { Call } from "../../call.ts";
import { truncate } from "../../kit/components/mod.ts";
import { textOf } from "../../forms.ts";

/** Name of the fields for text and for files. */
export const [TEXT, FILE] = ["content", "file"] as const;
/** Maximum number of files of a request. */
const MAX_FILES = 100;

/** Returns the maximum bytes of a source; that of a table is a setting. */
export function maxSourceBytes({ ctx }: Call): number {
  return Math.max(MAX_PEM_TEXT_BYTES, mayBulkImport(ctx) ? ctx.settings.importFileMaxBytes : 0);
}

/** The input: certificates in any number of files, or one table. */
export type Source =
  | { readonly kind: "certificates"; readonly content: string | Uint8Array | readonly SourceFile[] }
  | { readonly kind: "table"; readonly content: string | Uint8Array };

/**
 * Returns the text or the files, recognized by their content. Each kind also has a separate limit. Errors: invalid, at
 * `content` or `file`.
 */
export async function sourceOf(form: FormData, { maxBytes }: { maxBytes: number }): Promise<Source> {
  const text = textOf(form, TEXT);
  const chosen = filesOf(form);
  const large = chosen.find(({ size }) => size > maxBytes);
  if (large !== undefined) {
    const [size, limit] = [sizeText(large.size), sizeText(maxBytes)];
    throw invalidField(FILE, "document_too_large", { what: "document has", size, limit });
  }
  if (chosen.length === 0) return { kind: kindOf(text), content: text };
  if (text.trim() !== "") throw invalidField(TEXT, "text_or_file", { files: "files" });
  if (chosen.length > MAX_FILES) {
    throw invalidField(FILE, "too_many_chosen", { count: chosen.length, things: "files", max: MAX_FILES });
  }
  const files = await Promise.all(
    chosen.map(async (file) => ({ name: file.name, content: await file.bytes() })),
  );
  for (const { name, content } of files) refusePkcs12(name, content);
  const [only, ...others] = files;
  if (only !== undefined && others.length === 0) return { kind: kindOf(only.content), content: only.content };
  const table = files.find(({ content }) => kindOf(content) === "table");
  if (table === undefined) return { kind: "certificates", content: files };
  throw invalidField(FILE, "table_among_files", { name: table.name });
}

function kindOf(content: string | Uint8Array): Source["kind"] {
  const format = tableFormatOf(content);
  return format === undefined || format === "pem" ? "certificates" : "table";
}

/**
 * Refuses a PKCS#12 file, which can have a private key, and says how to export its certificates. A script says the same before
 * the file is sent. Errors: invalid (`file`).
 */
export function refusePkcs12(name: string, content: Uint8Array): void {
  if (!isPkcs12(content)) return;
  throw invalidField(FILE, "key_store_file", { name: truncate(name) });
}

/** Returns the files of a field. Browsers send an empty file without a name if none is chosen. */
export function filesOf(form: FormData, name: string = FILE): File[] {
  return form.getAll(name).filter((one): one is File =>
    one instanceof File && !(one.size === 0 && one.name === "")
  );
}

/** Returns the field for errors about the source. */
export function sourceField(form: FormData): typeof TEXT | typeof FILE {
  return filesOf(form).length > 0 && textOf(form, TEXT).trim() === "" ? FILE : TEXT;
}

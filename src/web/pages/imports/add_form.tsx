/** Reads the input, recognized by its content: certificates are shown, tables get a preview. */

import { type FieldErrors, forbidden, invalid } from "../../../base/errors.ts";
import { MAX_REPEATED_DOCUMENT_CHARS } from "../../../base/limits.ts";
import { mayBulkImport, mayImport, ON_DUPLICATE } from "../../../domain/certificates/import/mod.ts";
import {
  createPreview,
  listPreviews,
  readPreviewContent,
} from "../../../domain/certificates/import_preview/mod.ts";
import type { Call } from "../../call.ts";
import { textOf } from "../../forms.ts";
import { seeOther } from "../../responses.ts";
import { formPage, OVERWRITE } from "./form_page.tsx";
import { importErrorsOf, inspectAdded, resolveTenant } from "./inspected.tsx";
import { previewPath } from "./paths.tsx";
import { maxSourceBytes, sourceField, sourceOf } from "./sources.ts";

/** Renders the form: empty, or with the document of a preview for editing (`?from=<key>`). */
export async function addForm(call: Call): Promise<Response> {
  const { ctx } = call;
  if (!mayImport(ctx)) throw forbidden();
  if (!mayBulkImport(ctx)) return await formPage(call, {});
  const previews = await listPreviews(call);
  const from = previews.find(({ key }) => key === call.query.get("from"));
  if (from === undefined) return await formPage(call, { previews });
  const content = await readPreviewContent({ ctx, key: from.key });
  const repeated = content.length <= MAX_REPEATED_DOCUMENT_CHARS;
  return await formPage(call, {
    previews,
    content: repeated ? content : "",
    onDuplicate: from.overwrite ? OVERWRITE : from.onDuplicate,
    ...(repeated ? {} : { note: "This table is too long to edit here. Edit the file and choose it again." }),
  });
}

/** Shows the certificates of the input, or the preview of a table. Imports nothing. */
export async function readAdded(call: Call): Promise<Response> {
  if (!mayImport(call.ctx)) throw forbidden();
  try {
    await resolveTenant(call);
    const source = await sourceOf(call.form, { maxBytes: maxSourceBytes(call) });
    return source.kind === "table"
      ? await previewTable(call, source.content)
      : await inspectAdded(call, source.content);
  } catch (error) {
    return await formPage(call, { errors: atSource(call.form, importErrorsOf(call, error)) });
  }
}

/** Fields of the form for which a table has columns. */
const COLUMNS = ["tags", "private_key_location"] as const;

async function previewTable(call: Call, content: string | Uint8Array): Promise<Response> {
  const { ctx, form } = call;
  if (!mayBulkImport(ctx)) {
    const message =
      'This is a table. Tables need the permission "bulk operations" on certificates. Import files of certificates instead.';
    throw invalid({ content: [message] });
  }
  const errors: FieldErrors = {};
  for (const name of COLUMNS) {
    if (textOf(form, name).trim() === "") continue;
    errors[name] = [`A table has a column for this ("${name}"). Clear this field.`];
  }
  if (Object.keys(errors).length > 0) throw invalid(errors);
  const chosen = textOf(form, "on_duplicate");
  const overwrite = chosen === OVERWRITE;
  const onDuplicate = overwrite ? "update" : ON_DUPLICATE.find((one) => one === chosen) ?? "error";
  const input = { content, format: "auto", onDuplicate, overwrite, tenant: textOf(form, "tenant") } as const;
  const { key } = await createPreview({ ctx, input });
  return seeOther(call, previewPath(key));
}

/** Moves errors of the input to the field that contained it. */
function atSource(form: FormData, { content, pem_content, ...others }: FieldErrors): FieldErrors {
  const messages = [...content ?? [], ...pem_content ?? []];
  return messages.length === 0 ? others : { ...others, [sourceField(form)]: messages };
}

/** Exports certificates: what the caller may see, narrowed by ids and filters, as a stream of text. */

import { type SQL, sql } from "drizzle-orm";
import { authorize, type Context } from "../../../auth/mod.ts";
import type { Download } from "../../../base/download.ts";
import { addError, type FieldErrors, invalid, notFound } from "../../../base/errors.ts";
import { idsIn } from "../../../db/mod.ts";
import { type ExportRow, writeDocument } from "../../../formats/mod.ts";
import { EVERYTHING, parseQuery } from "../../../filters/mod.ts";
import { andAll, fieldMap, listCondition } from "../../../resource/mod.ts";
import { certificates } from "../mod.ts";
import { EXPORT_PARAMETERS, readExportQuery } from "./export_parameters.ts";
import { readPages, requireSize } from "./read_pages.ts";

/** No filters either: NetBox's clients may send them with any request. */
const WITHOUT_EFFECT = ["brief", "exclude"];

/**
 * Exports the certificates that `params` describe (lists as repeated parameters, or joined by commas).
 * Errors: forbidden, invalid (parameters; more certificates than an export may hold).
 */
export async function exportCertificates(
  { ctx, params }: { ctx: Context; params: URLSearchParams },
): Promise<Download> {
  authorize(ctx, "view", certificates.objectType);
  const { condition: filter, errors: unknown } = parseQuery(params, fieldMap(certificates), {
    reserved: new Set([...EXPORT_PARAMETERS, ...WITHOUT_EFFECT]),
  });
  const errors: FieldErrors = { ...unknown };
  const { format, ids, fields } = readExportQuery(params, errors);
  if (Object.keys(errors).length > 0) throw invalid(errors);
  const condition = andAll(
    await listCondition({ ctx, resource: certificates, filter }),
    ids === undefined ? undefined : among(ids),
  );
  await requireSize(ctx, condition);
  return {
    mediaType: format.mediaType,
    fileName: `certificates.${format.extension}`,
    text: writeDocument(format.writer(fields), readPages({ ctx, condition, fields })),
  };
}

/** Exports one certificate, named for it. Errors: forbidden, not_found, invalid. */
export async function exportCertificate(
  { ctx, id, params }: { ctx: Context; id: number; params: URLSearchParams },
): Promise<Download> {
  const errors: FieldErrors = {};
  for (const name of new Set(params.keys())) {
    if (!(EXPORT_PARAMETERS as readonly string[]).includes(name) || name === "ids") {
      addError(errors, name, "Unknown parameter.");
    }
  }
  const { format, fields } = readExportQuery(params, errors);
  if (Object.keys(errors).length > 0) throw invalid(errors);
  const visible = await listCondition({ ctx, resource: certificates, filter: EVERYTHING });
  const condition = andAll(visible, among([id]));
  const named = [...new Set([...fields, "common_name"])];
  const { value: page } = await readPages({ ctx, condition, fields: named }).next();
  const [row] = (page ?? []) as ExportRow[];
  if (row === undefined) throw notFound();
  const { common_name } = row;
  const shown = Object.fromEntries(fields.map((name) => [name, row[name] ?? null]));
  return {
    mediaType: format.mediaType,
    fileName: `${common_name}.${format.extension}`,
    text: writeDocument(format.writer(fields), pageOf(shown)),
  };
}

function among(ids: readonly number[]): SQL {
  return sql`certificates.id IN ${idsIn(ids)}`;
}

async function* pageOf(row: ExportRow): AsyncGenerator<ExportRow[]> {
  yield await Promise.resolve([row]);
}

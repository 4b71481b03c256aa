/** Exports the certificates that the caller may view and that ids and filters select, as a stream of text. */

import { type SQL, sql } from "drizzle-orm";
import { authorize, type Context } from "../../../auth/mod.ts";
import type { Download } from "../../../base/download.ts";
import { addError, type FieldErrors, invalid, notFound } from "../../../base/errors.ts";
import { andAll, idsIn } from "../../../db/mod.ts";
import { type ExportRow, writeDocument } from "../../../formats/mod.ts";
import { type Condition, EVERYTHING, mapIn, parseOrdering, parseQuery } from "../../../filters/mod.ts";
import { listCondition, withoutSetAside } from "../../../resource/mod.ts";
import { certificates } from "../mod.ts";
import { EXPORT_PARAMETERS, type ExportQuery, readExportQuery } from "./export_parameters.ts";
import { readInOrder, readPages, requireExportSize } from "./read_pages.ts";

/** Parameters that NetBox's clients may send with any request; an export ignores them. */
const WITHOUT_EFFECT = ["brief", "exclude"];

/** The content of an export, and who may read it. */
export interface Export {
  readonly ctx: Context;
  readonly params: URLSearchParams;
  /** Without the API's limit, for people at a page or a command line. */
  readonly unlimited?: boolean;
  /** Order of the certificates, as in lists; by id if absent. */
  readonly ordering?: string | null | undefined;
}

/**
 * Exports the certificates that `params` select (lists as repeated parameters, or separated by commas).
 * Errors: forbidden, invalid (parameters; more certificates than the limit).
 */
export async function exportCertificates(
  { ctx, params, unlimited = false, ordering }: Export,
): Promise<Download> {
  authorize(ctx, "view", certificates.map);
  const { filter, query: { format, ids, fields }, errors } = readExport(params, ctx);
  const order = parseOrdering(ordering, mapIn(ctx, certificates.map));
  Object.assign(errors, order.errors);
  if (Object.keys(errors).length > 0) throw invalid(errors);
  const condition = andAll(
    await listCondition({
      ctx,
      resource: certificates,
      filter: ids === undefined ? withoutSetAside(certificates, filter, params.keys()) : filter,
    }),
    ids === undefined ? undefined : among(ids),
  );
  if (!unlimited) await requireExportSize(ctx, condition);
  const pages = ordering
    ? readInOrder({ ctx, condition, fields, order: order.keys })
    : readPages({ ctx, condition, fields });
  return {
    mediaType: format.mediaType,
    fileName: `certificates.${format.extension}`,
    text: writeDocument(format.writer(fields), pages),
  };
}

/**
 * Reads the parameters of an export: its filters and its content. Without a context, no custom fields are
 * known.
 */
export function readExport(
  params: URLSearchParams,
  ctx?: Context,
): { filter: Condition; query: ExportQuery; errors: FieldErrors } {
  const { condition: filter, errors: unknown } = parseQuery(
    params,
    ctx === undefined ? certificates.map : mapIn(ctx, certificates.map),
    {
      reserved: new Set([...EXPORT_PARAMETERS, ...WITHOUT_EFFECT]),
    },
  );
  const errors: FieldErrors = { ...unknown };
  return { filter, query: readExportQuery(params, { ctx, errors }), errors };
}

/** Exports one certificate, in a file named after its common name. Errors: forbidden, not_found, invalid. */
export async function exportCertificate(
  { ctx, id, params }: { ctx: Context; id: number; params: URLSearchParams },
): Promise<Download> {
  const errors: FieldErrors = {};
  for (const name of new Set(params.keys())) {
    if (!EXPORT_PARAMETERS.some((one) => one === name) || name === "ids") {
      addError(errors, name, "Unknown parameter.");
    }
  }
  const { format, fields } = readExportQuery(params, { ctx, errors });
  if (Object.keys(errors).length > 0) throw invalid(errors);
  const visible = await listCondition({ ctx, resource: certificates, filter: EVERYTHING });
  const condition = andAll(visible, among([id]));
  const named = [...new Set([...fields, "common_name"])];
  const { value: page } = await readPages({ ctx, condition, fields: named }).next();
  const [row] = page ?? [];
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

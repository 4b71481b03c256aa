/** Exports certificates as files. */

import { download } from "../../../base/download.ts";
import {
  EXPORT_FIELDS,
  exportCertificate,
  exportCertificates,
} from "../../../domain/certificates/export/mod.ts";
import { type Call, idOf } from "../../call.ts";
import { cleanUrl } from "../../kit/mod.ts";

/** The choice of all columns, instead of their names. */
export const EVERY_COLUMN = "all";
/** Long texts, which a table does not show. */
const LONG_FIELDS: readonly string[] = ["pem_content", "issuer_chain"];

/**
 * Exports all matching certificates in the requested order: `GET
 * /certificates/export/?format=csv&ordering=valid_to&<filters>`.
 */
export async function exportFiltered({ ctx, url }: Call): Promise<Response> {
  const params = cleanUrl(url).searchParams;
  const ordering = params.get("ordering");
  params.delete("ordering");
  if (params.get("fields") === EVERY_COLUMN) {
    params.delete("fields");
    params.append("fields", EXPORT_FIELDS.filter((name) => !LONG_FIELDS.includes(name)).join(","));
  }
  return await download(ctx, await exportCertificates({ ctx, params, ordering, unlimited: true }));
}

/** Exports one certificate: `GET /certificates/<id>/export/?format=pem`. */
export async function exportOne(call: Call): Promise<Response> {
  const { ctx, query } = call;
  return await download(ctx, await exportCertificate({ ctx, id: idOf(call), params: query }));
}

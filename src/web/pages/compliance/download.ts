/** Downloads the compliance report. */

import { download } from "../../../base/download.ts";
import { complianceReport, readReportQuery, reportDocument } from "../../../domain/compliance/mod.ts";
import type { Call } from "../../call.ts";
import { cleanUrl } from "../../kit/mod.ts";

/**
 * Returns the report as one table, with the maximum number of failing certificates of a page: `GET
 * /compliance/download/?<filters>`.
 */
export async function downloadReport({ ctx, url }: Call): Promise<Response> {
  const { searchParams } = cleanUrl(url);
  searchParams.set("limit", "0");
  const report = await complianceReport({ ctx, query: readReportQuery(searchParams, ctx) });
  return await download(ctx, reportDocument(report));
}

/** The report as a file. */

import { download } from "../../base/download.ts";
import {
  complianceReport,
  readReportQuery,
  REPORT_COLUMNS,
  reportRows,
} from "../../features/compliance/mod.ts";
import { FORMATS, writeDocument } from "../../formats/mod.ts";
import type { Call } from "../call.ts";
import { cleanUrl } from "../objects/mod.ts";

/** `GET /compliance/download/?<filters>`: the report as one table, with as many failing certificates as a page may have. */
export async function downloadReport({ ctx, url }: Call): Promise<Response> {
  const { searchParams } = cleanUrl(url);
  searchParams.set("limit", "0");
  const report = await complianceReport({ ctx, query: readReportQuery(searchParams, ctx) });
  const { mediaType, extension, writer } = FORMATS.csv;
  return await download(ctx, {
    mediaType,
    fileName: `compliance-report.${extension}`,
    text: writeDocument(writer(REPORT_COLUMNS), onePage(reportRows(report))),
  });
}

async function* onePage<Row>(rows: Row[]): AsyncGenerator<Row[]> {
  yield await Promise.resolve(rows);
}

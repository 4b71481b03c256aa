/** The pages of compliance: policies, their results, the report on them. */

import { type Call, ID, idOf, type Route } from "../../call.ts";
import { cleanUrl, countRows, readRows, viewRoutes } from "../../kit/mod.ts";
import { checkView } from "./check_view.tsx";
import { policyView } from "./policy_view.tsx";
import { reportPage } from "./report.tsx";
import { counted, numberText } from "../../../base/amounts.ts";
import { forbidden, notFound } from "../../../base/errors.ts";
import { MAX_BULK_OBJECTS, MAX_COMPLIANCE_CHECKS } from "../../../base/limits.ts";
import { certificates } from "../../../domain/certificates/mod.ts";
import {
  bulkCheckCertificates,
  checks,
  complianceReport,
  policies,
  readReportQuery,
  reportDocument,
} from "../../../domain/compliance/mod.ts";
import { objectPath } from "../../paths.ts";
import { attempt, done, refused } from "../../responses.ts";
import { mayCheckMany, uncheckedBy } from "./scope.ts";
import { download } from "../../../base/download.ts";

export const complianceRoutes: readonly Route[] = [
  { method: "GET", path: "/compliance/", handle: reportPage },
  { method: "GET", path: "/compliance/download/", handle: downloadReport },
  { method: "POST", path: `/policies/${ID}/check/`, handle: checkPolicy },
  ...viewRoutes(policyView),
  ...viewRoutes(checkView),
];

/**
 * Runs one policy on certificates in use, first on those without a current result, then on those that were checked
 * longest ago: `POST /policies/{id}/check/`.
 */
async function checkPolicy(call: Call): Promise<Response> {
  if (!mayCheckMany(call)) throw forbidden();
  const { ctx } = call;
  const id = idOf(call);
  if (await countRows(call, policies, { id: String(id) }) === 0) throw notFound();
  const back = objectPath(policies, id);
  return await attempt({ call, back, codes: ["invalid", "forbidden"] }, async () => {
    const limit = Math.min(MAX_BULK_OBJECTS, MAX_COMPLIANCE_CHECKS, ctx.settings.maxPageSize);
    const open = await readRows(ctx, certificates, { params: { ...uncheckedBy(id), limit }, fields: ["id"] });
    const known = await readRows(ctx, checks, {
      params: { policy_id: id, certificate__in_use: "true", ordering: "checked_at", limit },
      fields: ["id", "certificate"],
    });
    const found = [...open.rows.map((row) => row.id), ...known.rows.map(({ certificate }) => certificate.id)];
    const ids = [...new Set(found)].slice(0, limit);
    if (ids.length === 0) return done(call, back, "No certificate in use to check.");
    const { processed, overall_passed: passed, overall_failed: failed } = await bulkCheckCertificates({
      ctx,
      input: { certificate_ids: ids, policy_ids: [id] },
    });
    if (processed === 0) return refused(call, back, "You may not check any of these certificates.");
    const left = ids.length < limit ? 0 : open.count + known.count - ids.length;
    const rest = left > 0 ? ` ${counted(left, "certificate")} left: check again.` : "";
    return done(
      call,
      back,
      `${counted(processed, "certificate")} checked: ${numberText(passed)} passed, ${
        numberText(failed)
      } failed.${rest}`,
    );
  });
}

/**
 * Returns the report as one table, with the maximum number of failing certificates of a page: `GET
 * /compliance/download/?<filters>`.
 */
async function downloadReport({ ctx, url }: Call): Promise<Response> {
  const { searchParams } = cleanUrl(url);
  searchParams.set("limit", "0");
  const query = readReportQuery(searchParams, ctx);
  const report = await complianceReport({ ctx, query });
  return await download(ctx, reportDocument({ ctx, query }, report));
}

/** Actions that run policies on many certificates. */

import { counted, numberText } from "../../../base/amounts.ts";
import { forbidden, notFound } from "../../../base/errors.ts";
import { MAX_BULK_OBJECTS, MAX_COMPLIANCE_CHECKS } from "../../../base/limits.ts";
import { certificates } from "../../../domain/certificates/mod.ts";
import { bulkCheckCertificates, checks, policies, readReportQuery } from "../../../domain/compliance/mod.ts";
import { type Call, idOf } from "../../call.ts";
import { cleanUrl, countRows, type Params, readRows } from "../../kit/mod.ts";
import { objectPath } from "../../paths.ts";
import { attempt, done, refused, seeOther } from "../../responses.ts";
import { mayCheckMany, scopeOf, uncheckedBy } from "./scope.ts";

/**
 * Runs policies on the certificates of a report that have no current result, as many as one run may have: `POST
 * /compliance/check/?<filters>`.
 */
export async function checkReport(call: Call): Promise<Response> {
  if (!mayCheckMany(call)) throw forbidden();
  const { ctx } = call;
  const url = cleanUrl(call.url);
  const back = `/compliance/${url.search}`;
  return await attempt({ call, back, codes: ["invalid", "forbidden"] }, async () => {
    const scope = scopeOf(readReportQuery(url.searchParams, ctx));
    if (scope === undefined) return refused(call, back, "Remove the filters of checks, then check again.");
    const { policyIds } = scope;
    const rules = policyIds.length || await countRows(call, policies, { enabled: "true" });
    const { ids, count } = await readIds(call, scope.unchecked, limitFor(call, rules));
    return await check(call, { back, ids, policyIds, left: count - ids.length });
  });
}

/**
 * Runs one policy on certificates in use, first on those without a current result, then on those that were checked
 * longest ago: `POST /policies/{id}/check/`.
 */
export async function checkPolicy(call: Call): Promise<Response> {
  if (!mayCheckMany(call)) throw forbidden();
  const id = idOf(call);
  if (await countRows(call, policies, { id: String(id) }) === 0) throw notFound();
  const back = objectPath(policies, id);
  return await attempt({ call, back, codes: ["invalid", "forbidden"] }, async () => {
    const limit = limitFor(call, 1);
    const open = await readIds(call, uncheckedBy(id), limit);
    const known = await readRows(call.ctx, checks, {
      params: { policy_id: id, certificate__in_use: "true", ordering: "checked_at", limit },
      fields: ["id", "certificate"],
    });
    const checked = known.rows.map(({ certificate }) => certificate.id);
    const ids = [...new Set([...open.ids, ...checked])].slice(0, limit);
    const left = open.count + known.count - ids.length;
    return await check(call, { back, ids, policyIds: [id], left: ids.length < limit ? 0 : left });
  });
}

/** Returns the number of certificates of one run. */
function limitFor({ ctx }: Call, rules: number): number {
  const most = Math.floor(MAX_COMPLIANCE_CHECKS / Math.max(1, rules));
  return Math.max(1, Math.min(MAX_BULK_OBJECTS, ctx.settings.maxPageSize, most));
}

async function readIds(
  call: Call,
  params: Params,
  limit: number,
): Promise<{ ids: readonly number[]; count: number }> {
  const { rows, count } = await readRows(call.ctx, certificates, {
    params: { ...params, limit },
    fields: ["id"],
  });
  return { ids: rows.map(({ id }) => id), count };
}

async function check(
  call: Call,
  { back, ids, policyIds, left }: {
    back: string;
    ids: readonly number[];
    policyIds: readonly number[];
    /** Number of certificates that wait for another run. */
    left: number;
  },
): Promise<Response> {
  if (ids.length === 0) {
    return seeOther(call, back, { flash: { kind: "info", text: "All certificates are checked." } });
  }
  const result = await bulkCheckCertificates({
    ctx: call.ctx,
    input: { certificate_ids: [...ids], policy_ids: [...policyIds] },
  });
  const { processed, overall_passed: passed, overall_failed: failed } = result;
  if (processed === 0) return refused(call, back, "You may not check any of these certificates.");
  const rest = left > 0 ? ` ${counted(left, "certificate")} left: check again.` : "";
  return done(
    call,
    back,
    `${counted(processed, "certificate")} checked: ${numberText(passed)} passed, ${
      numberText(failed)
    } failed.${rest}`,
  );
}

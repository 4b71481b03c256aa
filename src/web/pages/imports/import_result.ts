/** What happens after an import: checks of the new certificates, and a message with a redirect. */

import { isGranted } from "../../../auth/mod.ts";
import { counted, numberText } from "../../../base/amounts.ts";
import { AppError } from "../../../base/errors.ts";
import { validateCertificateChain } from "../../../domain/certificates/chain/mod.ts";
import { certificates } from "../../../domain/certificates/mod.ts";
import type { ImportReport } from "../../../domain/certificates/import/mod.ts";
import { bulkCheckCertificates, checkCertificate, policies } from "../../../domain/compliance/mod.ts";
import { endpoints } from "../../../domain/endpoints/mod.ts";
import type { Call, FlashLink } from "../../call.ts";
import { readRows } from "../../kit/mod.ts";
import { listPath, objectPath } from "../../paths.ts";
import { seeOther } from "../../responses.ts";
import { ADD } from "./paths.tsx";

/** Maximum number of ids in the URL; more certificates are shown as the latest ones. */
const MAX_NAMED = 50;

/** Checks the certificates, and redirects to the only one or to a list of them. */
export async function stored(
  call: Call,
  report: ImportReport & { readonly renewed?: readonly number[] },
): Promise<Response> {
  const { created_count: created, skipped_count: skipped, renewed = [] } = report;
  const ids = [...renewed, ...report.certificates.map(({ id }) => id)];
  await checkNew(call, ids);
  const parts = [
    ...(renewed.length === 0 ? [] : [`${counted(renewed.length, "certificate")} renewed`]),
    ...(created === 0
      ? []
      : [`${renewed.length === 0 ? counted(created, "certificate") : numberText(created)} imported`]),
    ...(skipped === 0 ? [] : [`${skipped} already ${skipped === 1 ? "exists" : "exist"}`]),
  ];
  const text = ids.length === 0
    ? "All certificates already exist. Nothing was imported."
    : `${parts.join("; ")}.`;
  return redirectRenewed(call, nextPath(call, ids), { text, renewed });
}

/**
 * Redirects to a page with a message of success. If endpoints still serve what the certificates `renewed` replaced, the
 * message links to them.
 */
export async function redirectRenewed(
  call: Call,
  path: string,
  { text, renewed }: { text: string; renewed: readonly number[] },
): Promise<Response> {
  const link = await servingReplaced(call, renewed);
  return seeOther(call, path, {
    flash: { kind: "success", text, ...(link === undefined ? {} : { link }) },
  });
}

/** Returns the link to the endpoints that still serve what these certificates replaced. At most two statements. */
async function servingReplaced(call: Call, successors: readonly number[]): Promise<FlashLink | undefined> {
  if (successors.length === 0 || successors.length > MAX_NAMED) return undefined;
  if (!isGranted(call.ctx, "view", endpoints.objectType)) return undefined;
  const name = "certificate__replaced_by_id";
  const params = { [name]: successors, limit: 1 };
  const { count } = await readRows(call.ctx, endpoints, { params, fields: ["id"] });
  if (count === 0) return undefined;
  return {
    label: `${counted(count, "endpoint still serves", "endpoints still serve")} the old ${
      successors.length === 1 ? "one" : "ones"
    }`,
    path: `${listPath(endpoints)}?${new URLSearchParams(successors.map((id) => [name, String(id)]))}`,
  };
}

/** Returns the path of the new certificates. */
function nextPath(call: Call, ids: readonly number[]): string {
  if (ids.length === 0 || !isGranted(call.ctx, "view", certificates.objectType)) return ADD;
  if (ids.length === 1) return objectPath(certificates, ids[0]);
  if (ids.length > MAX_NAMED) return `${listPath(certificates)}?ordering=-created`;
  return `${listPath(certificates)}?${new URLSearchParams(ids.map((id) => ["id", String(id)]))}`;
}

/** More certificates would delay the response; the list has actions for them. */
const MAX_CHECKED = 20;

/**
 * Validates the chains and runs the policies, so that their pages have results before the daily evaluation, as far as the user may. The certificates are stored, so errors are only
 * logged. Does nothing for many certificates.
 */
export async function checkNew(call: Call, ids: readonly number[]): Promise<void> {
  const [id] = ids;
  if (id === undefined || ids.length > MAX_CHECKED) return;
  const { ctx } = call;
  const single = ids.length === 1;
  if (!single && !isGranted(ctx, "bulk_operations", certificates.objectType)) return;
  // Policies can depend on the result of the chain.
  if (isGranted(ctx, "change", certificates.objectType)) {
    // One by one: the bulk operation would store a result for certificates without PEM, too.
    for (const id of ids) {
      await attemptWork(call, () => validateCertificateChain({ ctx, id, input: undefined }));
    }
  }
  if (isGranted(ctx, "manage_compliance", policies.objectType)) {
    await attemptWork(
      call,
      () =>
        single
          ? checkCertificate({ ctx, id, input: {} })
          : bulkCheckCertificates({ ctx, input: { certificate_ids: ids } }),
    );
  }
}

async function attemptWork({ ctx }: Call, work: () => Promise<unknown>): Promise<void> {
  try {
    await work();
  } catch (error) {
    // Without PEM there is no chain, and constraints can exclude a certificate.
    if (error instanceof AppError) return;
    ctx.log.log("error", "check after import", { error: String(error) });
  }
}

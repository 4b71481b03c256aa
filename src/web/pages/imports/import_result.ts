/** Message and redirect after an import. */

import { isGranted } from "../../../auth/mod.ts";
import { counted, numberText } from "../../../base/amounts.ts";
import { certificates } from "../../../domain/certificates/mod.ts";
import type { ImportReport } from "../../../domain/certificates/import/mod.ts";
import { endpoints } from "../../../domain/endpoints/mod.ts";
import type { Call, FlashLink } from "../../call.ts";
import { readRows } from "../../kit/mod.ts";
import { listPath, objectPath } from "../../paths.ts";
import { seeOther } from "../../responses.ts";
import { checkNew } from "./check_new.ts";
import { ADD } from "./paths.ts";

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
  const { count } = await readRows(call, endpoints, { params, fields: ["id"] });
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

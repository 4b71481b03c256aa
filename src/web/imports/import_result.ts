/** Message and redirect after an import. */

import { isGranted } from "../../auth/mod.ts";
import { counted, numberText } from "../../base/amounts.ts";
import { certificates } from "../../domain/certificates/mod.ts";
import type { ImportReport } from "../../domain/certificates/import/mod.ts";
import type { Call } from "../call.ts";
import { listPath, objectPath } from "../paths.ts";
import { done } from "../responses.ts";
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
  return done(call, nextPath(call, ids), text);
}

/** Returns the path of the new certificates. */
function nextPath(call: Call, ids: readonly number[]): string {
  if (ids.length === 0 || !isGranted(call.ctx, "view", certificates.objectType)) return ADD;
  if (ids.length === 1) return objectPath(certificates, ids[0]);
  if (ids.length > MAX_NAMED) return `${listPath(certificates)}?ordering=-created`;
  return `${listPath(certificates)}?${new URLSearchParams(ids.map((id) => ["id", String(id)]))}`;
}

/** What is said, and shown next, when certificates were stored. */

import { isGranted } from "../../auth/mod.ts";
import { certificates } from "../../domain/certificates/mod.ts";
import type { ImportReport } from "../../domain/certificates/import/mod.ts";
import type { Call } from "../call.ts";
import { listPath, objectPath } from "../paths.ts";
import { done } from "../responses.ts";
import { SINGLE } from "./paths.ts";

/** Certificates that an address names one by one; more are shown as the latest ones. */
const MAX_NAMED = 50;

/** To the certificate that was stored, or to the list of them. */
export function stored(call: Call, report: ImportReport): Response {
  const { created_count: created, skipped_count: skipped } = report;
  const text = created === 0
    ? "All certificates already exist. Nothing was imported."
    : `${counted(created)} imported${
      skipped === 0 ? "" : `; ${skipped} already ${skipped === 1 ? "exists" : "exist"}`
    }.`;
  return done(call, nextPath(call, report.certificates.map(({ id }) => id)), text);
}

/** `1 certificate`, `3 certificates`. */
function counted(count: number): string {
  return count === 1 ? "1 certificate" : `${count.toLocaleString("en")} certificates`;
}

/** Where certificates that were made can be seen. */
export function nextPath(call: Call, ids: readonly number[]): string {
  if (ids.length === 0 || !isGranted(call.ctx, "view", certificates.objectType)) return SINGLE;
  if (ids.length === 1) return objectPath(certificates, ids[0]);
  if (ids.length > MAX_NAMED) return `${listPath(certificates)}?ordering=-created`;
  return `${listPath(certificates)}?${new URLSearchParams(ids.map((id) => ["id", String(id)]))}`;
}

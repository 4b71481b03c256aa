/** Exports the audit log as a file. */

import { download } from "../../../base/download.ts";
import { exportAudit } from "../../../domain/system/audit_events/mod.ts";
import type { Call } from "../../call.ts";

/** `GET /audit-events/export/?format=csv&<filters>`. */
export async function exportAuditEvents({ ctx, query }: Call): Promise<Response> {
  return await download(ctx, await exportAudit({ ctx, params: query }));
}

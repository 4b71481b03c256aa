/** Renewal information: when the authorities of certificates suggest that they are renewed (ACME, RFC 9773). */

import type { Context } from "../../auth/mod.ts";
import { inUseSql } from "../certificates/mod.ts";
import { eachDue } from "../revocation/mod.ts";

/**
 * Asks about certificates that are due. Those that are not in use, or whose authority has no directory, are due again when
 * that changes.
 */
export async function refreshDue(
  { ctx, signal }: { ctx: Context; signal?: AbortSignal | undefined },
): Promise<{ refreshed: number }> {
  if (ctx.settings.renewalInfo === "off" || ctx.send === undefined) return { refreshed: 0 };
  const refreshed = await eachDue({ ctx, signal }, {
    column: "renewal_info_due",
    used: inUseSql("certificates"),
    check: async (ids) => (await import("./refresh.ts")).refreshWindows(ctx, ids),
  });
  return { refreshed };
}

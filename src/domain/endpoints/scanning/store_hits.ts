/** Creates endpoints for the servers that a scan found. */

import { type Context, SERVICE_ACTOR } from "../../../auth/mod.ts";
import { EVERYTHING } from "../../../filters/mod.ts";
import type { WriteCall } from "../../../resource/mod.ts";
import { createFound, existingEndpoints } from "../found_endpoints.ts";
import { settleReports } from "../probing/mod.ts";
import { endpoints } from "../resource.ts";
import type { ScanHit } from "./scan.ts";
import { scannedEndpoint } from "./scanned_endpoint.ts";

/**
 * Creates endpoints for servers whose address and port no endpoint has, and stores what they presented.
 * Returns the number of created endpoints. The number of statements does not depend on the number of servers.
 */
export async function storeHits(
  given: Context,
  hits: readonly ScanHit[],
  { tenantId }: { tenantId: number | null },
): Promise<number> {
  if (hits.length === 0) return 0;
  const ctx: Context = { ...given, actor: SERVICE_ACTOR };
  const created = await ctx.database.write(async (tx) => {
    const call: WriteCall = { ctx, tx, resource: endpoints, allowed: EVERYTHING };
    const addresses = hits.map(scannedEndpoint);
    const known = new Set(
      (await existingEndpoints(call, addresses, { anyName: true })).map(({ place }) => place),
    );
    const unknown = (_: unknown, index: number): boolean => !known.has(index);
    const ids = await createFound(call, addresses.filter(unknown), { source: "scan", tenantId });
    const answers = hits.filter(unknown).map(({ answer }) => answer);
    return ids.map((endpointId, index) => ({ endpointId, answers: answers.slice(index, index + 1) }));
  });
  const at = ctx.clock.now();
  await settleReports(ctx, created.map((one) => ({ ...one, source: "probe", at })));
  return created.length;
}

/** Makes endpoints of the servers that a scan found. */

import { sql } from "drizzle-orm";
import { type Context, SERVICE_ACTOR } from "../../../auth/mod.ts";
import { readHostName } from "../../../base/host_name.ts";
import { EVERYTHING } from "../../../filters/mod.ts";
import { draftsOf, storeDrafts, validateDrafts, type WriteCall } from "../../../resource/mod.ts";
import { parseCertificate } from "../../../x509/mod.ts";
import { settleReports } from "../probing/mod.ts";
import { endpoints } from "../resource.ts";
import type { ScanHit } from "./scan.ts";

/**
 * Creates endpoints for servers that no endpoint has by address and port, and stores what they presented. Returns how
 * many were created. The number of statements does not depend on the number of servers.
 */
export async function storeHits(
  given: Context,
  hits: readonly ScanHit[],
  { tenantId }: { tenantId: number | null },
): Promise<number> {
  if (hits.length === 0) return 0;
  const ctx: Context = { ...given, actor: SERVICE_ACTOR };
  const created = await ctx.database.write(async (tx) => {
    const requested = JSON.stringify(hits.map(({ target }) => [target.address, target.port]));
    const known = await tx.all<{ place: number }>(
      sql`SELECT DISTINCT requested.key AS place FROM json_each(${requested}) AS requested CROSS JOIN endpoints
          ON endpoints.host = requested.value->>0 AND endpoints.port = requested.value->>1`,
    );
    const places = new Set(known.map(({ place }) => place));
    const fresh = hits.filter((_, index) => !places.has(index));
    if (fresh.length === 0) return [];
    const call: WriteCall = { ctx, tx, resource: endpoints, allowed: EVERYTHING };
    const drafts = await draftsOf(
      call,
      fresh.map(({ target, answer }) => ({
        input: {
          host: target.address,
          port: target.port,
          server_name: nameOf(answer.presented?.certificates[0]),
          protocol: "tls",
          tags: [],
        },
        errors: {},
        reveal: {},
      })),
    );
    for (const draft of drafts) Object.assign(draft.row, { source: "scan", tenant_id: tenantId });
    await validateDrafts(call, drafts);
    await storeDrafts(call, drafts);
    return fresh.map(({ answer }, index) => ({ endpointId: drafts[index]?.id as number, answer }));
  });
  const at = ctx.clock.now();
  await settleReports(
    ctx,
    created.map(({ endpointId, answer }) => ({ endpointId, source: "probe", at, answers: [answer] })),
  );
  return created.length;
}

/** Clients ask for names, not for addresses: the first name of the certificate is the server's name. */
function nameOf(der: Uint8Array | undefined): string | null {
  const names = der === undefined ? [] : parseCertificate(der).certificate?.subjectAltNames ?? [];
  return names.flatMap(({ kind, value }) => kind === "dns" ? readHostName(value) ?? [] : [])[0] ?? null;
}

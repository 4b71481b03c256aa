/** Checks and stores OCSP responses that endpoints staple. */

import { sql } from "drizzle-orm";
import type { Context } from "../../auth/mod.ts";
import { sha256Hex } from "../../base/bytes.ts";
import { idsIn } from "../../db/mod.ts";
import { revocation_checks as checks } from "../../db/schema/mod.ts";
import { type Certificate, parseCertificate } from "../../x509/mod.ts";
import { issuersOf } from "../../x509/revocation/mod.ts";
import { evidenceOf } from "./ask.ts";
import { refreshTime } from "./open_list.ts";
import { type Outcome, storeOutcomes } from "./store.ts";

/** A response that was sent with a certificate of the inventory. */
export interface Staple {
  /** Of the certificate. */
  readonly id: number;
  readonly certificate: Certificate;
  /** DER of the certificates that were sent with it. */
  readonly chain: readonly Uint8Array[];
  readonly response: Uint8Array;
}

/** Stores the answers of new responses; those that cannot be used say nothing. One statement if none is new. */
export async function storeStapled(ctx: Context, staples: readonly Staple[]): Promise<void> {
  const known = await ctx.database.all<{ sha256: string }>(
    sql`SELECT response_sha256 AS sha256 FROM ${checks} WHERE source = 'stapled' AND certificate_id IN ${
      idsIn(staples.map(({ id }) => id))
    }`,
  );
  const hashes = new Set(known.map(({ sha256 }) => sha256));
  const outcomes = new Map<number, Outcome>();
  for (const { id, certificate, chain, response } of staples) {
    const sha256 = sha256Hex(response);
    if (hashes.has(sha256)) continue;
    const pool = chain.flatMap((der) => parseCertificate(der).certificate ?? []);
    const [issuer] = await issuersOf(certificate, pool);
    if (issuer === undefined) continue;
    const { checkOcspResponse } = await import("../../x509/ocsp/mod.ts");
    const now = ctx.clock.now();
    const outcome = await checkOcspResponse(response, { certificate, issuer, at: now });
    if ("fault" in outcome) continue;
    const refreshAt = refreshTime(outcome.nextUpdate, now);
    outcomes.set(id, { evidence: [evidenceOf(outcome, { source: "stapled", url: "", sha256, refreshAt })] });
  }
  await storeOutcomes(ctx, outcomes, { keepsDue: true });
}

/** Requests that renew a certificate are issued by its renewal. */

import { sql } from "drizzle-orm";
import { authorize, type Context, isGranted } from "../../auth/mod.ts";
import { invalid } from "../../base/errors.ts";
import type { Transaction } from "../../db/mod.ts";
import { certificate_signing_requests as table } from "../../db/schema/mod.ts";
import { EVERYTHING } from "../../filters/mod.ts";
import { anyErrors, changeDraft, loadForChange, storeOnly, validateDrafts } from "../../resource/mod.ts";
import type { CertificateRow } from "../certificates/mod.ts";
import { signingRequests } from "./resource.ts";

/**
 * Records the successors of certificates as issued for the open requests that renew these with the same key, or with an
 * unknown one, as far as the caller may change the requests. Returns their number. The number of statements does not depend
 * on that of renewals.
 */
export async function recordRenewed(
  { ctx, tx }: { ctx: Context; tx: Transaction },
  renewed: readonly { readonly old: CertificateRow; readonly successor: CertificateRow }[],
): Promise<number> {
  if (!isGranted(ctx, "change", signingRequests.objectType)) return 0;
  const pairs = renewed.map(({ old, successor }) => ({
    from: old.id,
    to: successor.id,
    key: successor.spki_sha256,
  }));
  const open = await tx.all<{ id: number; issued: number }>(
    sql`SELECT ${table}.id AS id, pair.value ->> 'to' AS issued FROM json_each(${
      JSON.stringify(pairs)
    }) AS pair
        CROSS JOIN ${table} ON renews_id = pair.value ->> 'from'
        WHERE status IN ('pending', 'approved') AND coalesce(spki_sha256 = pair.value ->> 'key', spki_sha256 IS NULL)`,
  );
  if (open.length === 0) return 0;
  const allowed = authorize(ctx, "change", signingRequests.map);
  const call = { ctx, tx, resource: signingRequests, allowed };
  const found = await loadForChange(call, open.map(({ id }) => id));
  const drafts = open.flatMap(({ id, issued }) => {
    const before = found.get(id);
    return before === undefined ? [] : [changeDraft(before, { input: { resulting_certificate: issued } })];
  });
  await validateDrafts(call, drafts);
  if (anyErrors(drafts)) throw invalid(drafts.flatMap(({ errors }) => errors));
  // A caller who may change only open requests may renew, too: that they are issued follows from the renewal.
  await storeOnly({ ...call, allowed: EVERYTHING }, drafts);
  return drafts.length;
}

/** Validates and checks certificates that a page has just stored, so that their pages have results before the daily evaluation. */

import { isGranted } from "../../../auth/mod.ts";
import { AppError } from "../../../base/errors.ts";
import { validateCertificateChain } from "../../../domain/certificates/chain/mod.ts";
import { certificates } from "../../../domain/certificates/mod.ts";
import { bulkCheckCertificates, checkCertificate, policies } from "../../../domain/compliance/mod.ts";
import type { Call } from "../../call.ts";

/** More certificates would delay the response; the list has actions for them. */
const MAX_CHECKED = 20;

/**
 * Validates the chains and runs the policies, as far as the user may. The certificates are stored, so errors are only
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

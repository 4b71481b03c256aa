/** What the buttons of a certificate's page do. */

import { AppError } from "../../../base/errors.ts";
import { validateCertificateChain } from "../../../features/chain/mod.ts";
import { checkCertificate } from "../../../features/compliance/mod.ts";
import { type Call, idOf } from "../../call.ts";
import { messagesOf } from "../../messages.ts";
import { done, refused } from "../../responses.ts";

/** Validates the chain and keeps the verdict. */
export function validateOne(call: Call): Promise<Response> {
  return act(call, async (id) => {
    const { message } = await validateCertificateChain({ ctx: call.ctx, id, input: undefined });
    return `${message}.`;
  });
}

/** Runs all enabled policies on it. */
export function checkOne(call: Call): Promise<Response> {
  return act(call, async (id) => {
    const report = await checkCertificate({ ctx: call.ctx, id, input: {} });
    return report.total_checks === 0
      ? "No policy applies to it."
      : `${report.passed} of ${report.total_checks} checks passed.`;
  });
}

async function act(call: Call, work: (id: number) => Promise<string>): Promise<Response> {
  const id = idOf(call);
  const back = `/certificates/${id}/`;
  try {
    return done(call, back, await work(id));
  } catch (error) {
    if (!(error instanceof AppError) || !["invalid", "conflict"].includes(error.code)) throw error;
    return refused(call, back, messagesOf(error.public).join(" "));
  }
}

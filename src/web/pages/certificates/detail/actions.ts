/** Actions of the buttons on a certificate's page. */

import { validateCertificateChain } from "../../../../domain/certificates/chain/mod.ts";
import { checkCertificate } from "../../../../domain/compliance/mod.ts";
import { type Call, idOf } from "../../../call.ts";
import { attempt, done } from "../../../responses.ts";
import { messageWithNames } from "./chain_texts.ts";

/** Validates the chain and stores the result. */
export function validateOne(call: Call): Promise<Response> {
  return act(call, async (id) => {
    const { message, certificates } = await validateCertificateChain({ ctx: call.ctx, id, input: undefined });
    return `${messageWithNames(message, certificates)}.`;
  });
}

/** Runs all enabled policies. */
export function checkOne(call: Call): Promise<Response> {
  return act(call, async (id) => {
    const report = await checkCertificate({ ctx: call.ctx, id, input: {} });
    return report.total_checks === 0
      ? "No policy applies to this certificate."
      : `${report.passed} of ${report.total_checks} checks passed.`;
  });
}

async function act(call: Call, work: (id: number) => Promise<string>): Promise<Response> {
  const id = idOf(call);
  const back = `/certificates/${id}/`;
  return await attempt({ call, back, codes: ["invalid", "conflict"] }, async () => {
    return done(call, back, await work(id));
  });
}

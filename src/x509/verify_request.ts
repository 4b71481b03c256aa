/** Checks the proof of possession: the request's signature by its own key (RFC 2986 §4.2). */

import type { SignatureResult } from "./chain/mod.ts";
import type { SigningRequest } from "./types.ts";

export type { SignatureResult };

/** Checks the self-signature of a request: `good`, `bad`, or `unsupported` with a reason. Never throws. */
export async function verifySelfSignature(request: SigningRequest): Promise<SignatureResult> {
  const { publicKey: key, signatureAlgorithm: algorithm, info: data, signature } = request;
  const { verifySignature } = await import("./chain/mod.ts");
  return await verifySignature({ key, algorithm, data, signature });
}

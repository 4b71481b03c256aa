/** Checks the parameters of an AlgorithmIdentifier. */

import { TAG } from "../../der.ts";

/**
 * Returns whether parameters are absent or NULL. RSA identifiers must have NULL, but absence is accepted (RFC
 * 4055 §2.1, RFC 8017 §A.2.4).
 */
export function noneOrNull(parameters: Uint8Array | undefined): boolean {
  return parameters === undefined ||
    (parameters.length === 2 && parameters[0] === TAG.null && parameters[1] === 0);
}

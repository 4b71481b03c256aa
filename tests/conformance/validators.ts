/** Validates a case in this process, or by a running service over HTTP. */

import { parseDatetime } from "../../src/base/clock.ts";
import { chainInputFromPem, validateChain } from "../../src/x509/chain/mod.ts";

/** Input of a validator. */
export interface Question {
  readonly leaf: string;
  readonly pool: readonly string[];
  /** ISO 8601. */
  readonly at: string;
}

/** Answer of a validator. */
export interface Answer {
  readonly status: string;
  readonly isValid: boolean;
  readonly errors: readonly string[];
}

export type Validator = (question: Question) => Promise<Answer>;

/** Validates in this process. */
export const validateInProcess: Validator = async ({ leaf, pool, at }) => {
  const input = chainInputFromPem(leaf, pool.join("\n"));
  const time = parseDatetime(at);
  if (time === undefined) throw new Error(`Invalid validation time "${at}". Expected an ISO 8601 datetime`);
  const { status, isValid, errors } = await validateChain({ ...input, anchors: [], at: time });
  return { status, isValid, errors };
};

/** Validates by a service: creates the certificate, validates it at the case's time, and deletes it. */
export function validateByService(url: string, token: string): Validator {
  const base = `${url.replace(/\/$/, "")}/api/plugins/certmgr/certificates/`;
  const call = async (method: string, address: string, body?: unknown): Promise<Response> =>
    await fetch(address, {
      method,
      headers: { "Authorization": `Token ${token}`, "Content-Type": "application/json" },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  return async ({ leaf, pool, at }) => {
    const created = await call("POST", base, { pem_content: leaf, issuer_chain: pool.join("\n") });
    const certificate = await created.json();
    // A certificate that cannot be read is refused at creation. Other refusals (leftovers of an aborted run) are errors.
    if (created.status === 400 && ("pem_content" in certificate || "issuer_chain" in certificate)) {
      return { status: "parse_error", isValid: false, errors: [JSON.stringify(certificate)] };
    }
    if (created.status !== 201) {
      throw new Error(`Creating answered ${created.status}: ${JSON.stringify(certificate)}`);
    }
    try {
      const response = await call("POST", `${base}${certificate.id}/validate-chain/`, { at });
      const result = await response.json();
      if (!response.ok) throw new Error(`Validating answered ${response.status}: ${JSON.stringify(result)}`);
      return { status: result.status, isValid: result.is_valid, errors: result.errors };
    } finally {
      const deleted = await call("DELETE", `${base}${certificate.id}/`);
      await deleted.body?.cancel();
    }
  };
}

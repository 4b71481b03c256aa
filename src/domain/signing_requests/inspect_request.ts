/** Reads a signing request without storing it. */

import { type Context, isGranted } from "../../auth/mod.ts";
import { type FieldErrors, forbidden } from "../../base/errors.ts";
import type { ParsedBody } from "../../resource/mod.ts";
import { holdsPrivateKey, PRIVATE_KEY_MESSAGE } from "../../x509/mod.ts";
import { readRequests } from "./read_requests.ts";
import { signingRequests } from "./resource.ts";

/** What a request asks for, or the errors of its PEM, by field. */
export interface InspectedRequest {
  /** The fields that would be stored. */
  readonly fields: Readonly<Record<string, unknown>>;
  readonly errors: FieldErrors;
  readonly warnings: readonly string[];
}

/**
 * Reads the only request of a PEM text, as its import does, and verifies its signature. No statement. Errors: forbidden
 * for callers who may not add requests.
 */
export async function inspectRequest(
  { ctx, pem }: { ctx: Context; pem: string },
): Promise<InspectedRequest> {
  if (!isGranted(ctx, "add", signingRequests.objectType)) throw forbidden();
  if (holdsPrivateKey(pem)) {
    return { fields: {}, errors: { pem_content: [PRIVATE_KEY_MESSAGE] }, warnings: [] };
  }
  const body: ParsedBody = { input: { pem_content: pem }, errors: {}, reveal: {} };
  await readRequests({ given: [body] });
  const { input, errors, reveal } = body;
  return { fields: input, errors, warnings: (reveal.warnings ?? []) as readonly string[] };
}

/** Imports a request: its PEM, and who wants it from whom. */

import { z } from "zod";
import { authorize, type Context } from "../../auth/mod.ts";
import { addError, AppError, type FieldErrors, invalid } from "../../base/errors.ts";
import {
  createObject,
  inputSchema,
  NOT_BLANK,
  quote,
  refusePrivateKeys,
  REQUIRED,
} from "../../resource/mod.ts";
import { signingRequests } from "./resource.ts";

/** What is given: the request, and what it cannot say itself. */
export const IMPORT_REQUEST_INPUT = z.object({
  pem_content: inputSchema(signingRequests, "pem_content"),
  requested_by: inputSchema(signingRequests, "requested_by").optional(),
  target_ca: inputSchema(signingRequests, "target_ca").optional(),
  tenant: inputSchema(signingRequests, "tenant").optional(),
  tags: inputSchema(signingRequests, "tags").optional(),
  notes: inputSchema(signingRequests, "notes").optional(),
});

const TAKEN = Object.keys(IMPORT_REQUEST_INPUT.shape);

/**
 * Imports the one request of a PEM text; all that it says is read from it. Gives the request, with `warnings`.
 * Errors: forbidden, invalid (by field; a signature that does not verify and a request that is there already on
 * `pem_content`).
 */
export async function importRequest(
  { ctx, input }: { ctx: Context; input: unknown },
): Promise<Record<string, unknown>> {
  authorize(ctx, "add", signingRequests.objectType);
  if (typeof input !== "object" || input === null || Array.isArray(input)) {
    throw new AppError("invalid", `Expected an object with pem_content, not ${quote(input)}.`);
  }
  const given = input as Record<string, unknown>;
  const errors: FieldErrors = {};
  refusePrivateKeys(given, errors);
  if (given.pem_content === undefined) addError(errors, "pem_content", REQUIRED);
  else if (typeof given.pem_content === "string" && given.pem_content.trim() === "") {
    addError(errors, "pem_content", NOT_BLANK);
  }
  if (Object.keys(errors).length > 0) throw invalid(errors);
  const taken = Object.fromEntries(Object.entries(given).filter(([name]) => TAKEN.includes(name)));
  return await createObject({ ctx, resource: signingRequests, input: taken });
}

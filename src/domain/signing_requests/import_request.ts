/** Imports a certificate signing request from PEM. */

import { issue } from "../../base/findings.ts";
import type { z } from "zod";
import { authorize, type Context, isGranted } from "../../auth/mod.ts";
import { forbidden } from "../../base/errors.ts";
import { MAX_PEM_TEXT_BYTES } from "../../base/limits.ts";
import { objectBody, operation, shown } from "../../operation/mod.ts";
import { createObject, documented, inputSchema, NOT_BLANK_PATTERN } from "../../resource/mod.ts";
import type { Condition } from "../../filters/mod.ts";
import { authorizeImport } from "../certificates/import/mod.ts";
import { signingRequests } from "./resource.ts";

const pemContent = (inputSchema(signingRequests, "pem_content") as z.ZodType<string>).refine(
  (text) => text.trim() !== "",
  { error: issue("blank") },
);

const ImportRequestInput = objectBody({
  pem_content: documented(pemContent, {
    type: "string",
    minLength: 1,
    maxLength: MAX_PEM_TEXT_BYTES,
    pattern: NOT_BLANK_PATTERN,
  }),
  requested_by: inputSchema(signingRequests, "requested_by").optional(),
  target_ca: inputSchema(signingRequests, "target_ca").optional(),
  tenant: inputSchema(signingRequests, "tenant").optional(),
  tags: inputSchema(signingRequests, "tags").optional(),
  renews: inputSchema(signingRequests, "renews").optional(),
  notes: inputSchema(signingRequests, "notes").optional(),
});

/**
 * Imports the only request of a PEM text, from which names, key and fingerprint are read. Returns the request
 * with `warnings`. Errors: forbidden, invalid (by field; an invalid signature and an existing request for
 * `pem_content`).
 */
export const importRequest = operation({
  needs: [[authorizeRequestImport, signingRequests]],
  input: ImportRequestInput,
  output: shown(signingRequests),
  run: async ({ ctx, allowed, input }) =>
    await createObject({ ctx, resource: signingRequests, input, allowed: allowed(signingRequests) }),
});

/**
 * Authorizes by the action `add`, or by the right to import certificates, whose constraints must then be about fields
 * that requests have, too. Returns the condition that an imported request must match. Errors: forbidden.
 */
function authorizeRequestImport(ctx: Context): Condition {
  if (isGranted(ctx, "add", signingRequests.objectType)) return authorize(ctx, "add", signingRequests.map);
  const condition = authorizeImport(ctx);
  if (!isAboutRequests(condition)) throw forbidden();
  return condition;
}

function isAboutRequests(condition: Condition): boolean {
  switch (condition.kind) {
    case "compare":
      return Object.hasOwn(signingRequests.map.fields, condition.path[0] ?? "");
    case "not":
      return isAboutRequests(condition.term);
    case "search":
      return false;
    default:
      return condition.terms.every(isAboutRequests);
  }
}

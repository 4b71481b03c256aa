/** Imports a certificate signing request from PEM. */

import type { z } from "zod";
import { MAX_PEM_TEXT_BYTES } from "../../base/limits.ts";
import { objectBody, operation, shown } from "../../operation/mod.ts";
import { createObject, documented, inputSchema, NOT_BLANK, NOT_BLANK_PATTERN } from "../../resource/mod.ts";
import { signingRequests } from "./resource.ts";

const pemContent = (inputSchema(signingRequests, "pem_content") as z.ZodType<string>).refine(
  (text) => text.trim() !== "",
  { error: NOT_BLANK },
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
  notes: inputSchema(signingRequests, "notes").optional(),
});

/**
 * Imports the only request of a PEM text, from which names, key and fingerprint are read. Returns the request
 * with `warnings`. Errors: forbidden, invalid (by field; an invalid signature and an existing request for
 * `pem_content`).
 */
export const importRequest = operation({
  needs: [["add", signingRequests]],
  input: ImportRequestInput,
  output: shown(signingRequests),
  run: async ({ ctx, input }) => await createObject({ ctx, resource: signingRequests, input }),
});

/** Validates constraints while they are typed. */

import { checkConstraints } from "../../domain/accounts/permissions/mod.ts";
import type { Call } from "../call.ts";
import { textOf } from "../forms.ts";

/** Path for the form's script. */
export const CHECK_PATH = "/permissions/check-constraints/";

/** `POST` with the form's `constraints` and `object_types`; returns `{"errors": ["…"]}`. */
export function checkConstraintsWhileTyping({ ctx, form }: Call): Response {
  const errors = checkConstraints({
    ctx,
    input: { objectTypes: form.getAll("object_types").map(String), constraints: textOf(form, "constraints") },
  });
  return Response.json({ errors }, { headers: { "cache-control": "no-store" } });
}

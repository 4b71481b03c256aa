/** Validates constraints while they are typed. */

import { checkConstraints } from "../../domain/accounts/permissions/mod.ts";
import type { Call } from "../call.ts";
import { textOf } from "../forms.ts";

/** Where the script of the form asks. */
export const CHECK_PATH = "/permissions/check-constraints/";

/** `POST` of the form's `constraints` and `object_types`: `{"errors": ["…"]}`, none where they can be used. */
export function checkConstraintsWhileTyping({ ctx, form }: Call): Response {
  const errors = checkConstraints({
    ctx,
    input: { objectTypes: form.getAll("object_types").map(String), constraints: textOf(form, "constraints") },
  });
  return Response.json({ errors }, { headers: { "cache-control": "no-store" } });
}

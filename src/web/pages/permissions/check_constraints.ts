/** Validates constraints while they are typed. */

import { numberText } from "../../../base/amounts.ts";
import { checkConstraints } from "../../../domain/accounts/permissions/mod.ts";
import { resourceOf } from "../../../domain/registry.ts";
import type { Call } from "../../call.ts";
import { textOf } from "../../forms.ts";

/** Path for the form's script. */
export const CHECK_PATH = "/permissions/check-constraints/";

/** Answers `POST` with the form's `constraints` and `object_types` with `{"errors": ["…"], "matches": "…"}`. */
export async function checkConstraintsWhileTyping({ ctx, form }: Call): Promise<Response> {
  const { errors, matches } = await checkConstraints({
    ctx,
    input: { objectTypes: form.getAll("object_types").map(String), constraints: textOf(form, "constraints") },
  });
  const counts = matches.map(({ objectType, count }) => {
    const resource = resourceOf(objectType);
    const noun = count === 1 ? resource?.label : resource?.labelPlural;
    return `${numberText(count)} ${noun ?? objectType}`;
  });
  return Response.json({ errors, matches: counts.join(", ") }, { headers: { "cache-control": "no-store" } });
}

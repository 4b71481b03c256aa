/** Help about constraints: their errors or what they match, examples and field names. */

import { OBJECT_TYPES } from "../../../auth/mod.ts";
import { checkConstraints, constraintNames } from "../../../domain/accounts/permissions/mod.ts";
import { resourceOf } from "../../../domain/registry.ts";
import type { Call } from "../../call.ts";
import type { Html } from "../../kit/components/mod.ts";
import type { FormState } from "../../kit/mod.ts";
import { countedObjects, typeLabel } from "../../type_label.ts";

/** Examples with their meaning. */
const EXAMPLES: readonly (readonly [constraints: string, meaning: string])[] = [
  ['{"tenant__slug": "acme"}', "Objects of the tenant acme."],
  ['{"tenant__slug": ["acme", "globex"]}', "Objects of either tenant."],
  [
    '{"status": "active", "tags__slug": "prod"}',
    "Active objects with the tag prod: both conditions must hold.",
  ],
  [
    '[{"tenant": null}, {"tenant__slug": "acme"}]',
    "Objects without a tenant, or of the tenant acme: one condition must hold.",
  ],
  ['{"common_name__iendswith": ".example.com"}', "Objects whose common name ends in .example.com."],
  ['{"user": "$user"}', "Objects of the user who makes the request."],
];

/** Renders the errors of the constraints or what they match, and collapsed examples and names of the chosen types. */
export async function constraintHelp(
  call: Call,
  { constraints = "", object_types: given = [] }: FormState,
): Promise<Html> {
  const types = [given].flat();
  const lines = String(constraints).trim() === ""
    ? undefined
    : await checked(call, types, String(constraints));
  return (
    <div class="field" id="constraint-help" data-in-place="constraints object_types">
      {lines === undefined ? null : (
        <div class={lines.isWrong ? "flash error" : "flash"} role="status">
          {lines.texts.map((text) => <p>{text}</p>)}
        </div>
      )}
      <details class="box">
        <summary>Examples</summary>
        <dl class="examples">
          {EXAMPLES.map(([constraints, meaning]) => (
            <>
              <dt>
                <code>{constraints}</code>
              </dt>
              <dd>{meaning}</dd>
            </>
          ))}
        </dl>
      </details>
      <details class="box">
        <summary>Available fields</summary>
        {OBJECT_TYPES.filter((type) => types.length === 0 || types.includes(type)).map((type) => (
          <div>
            <p class="label">{typeLabel(type)}</p>
            <ul class="words">
              {constraintNames(call.ctx, type).map((name) => (
                <li>
                  <code>{name}</code>
                </li>
              ))}
            </ul>
          </div>
        ))}
      </details>
    </div>
  );
}

/** Returns what saving the constraints would report, or what they match. At most a statement for each of five types. */
async function checked(
  { ctx }: Call,
  objectTypes: readonly string[],
  constraints: string,
): Promise<{ texts: readonly string[]; isWrong: boolean }> {
  const { errors, matches } = await checkConstraints({ ctx, input: { objectTypes, constraints } });
  if (errors.length > 0) return { texts: errors, isWrong: true };
  const counts = matches.flatMap(({ objectType, count }) => {
    const resource = resourceOf(objectType);
    return resource === undefined ? [] : countedObjects(resource, count);
  });
  const text = counts.length === 0
    ? "The constraints are valid."
    : `Matches ${counts.join(", ")} that you may view.`;
  return { texts: [text], isWrong: false };
}

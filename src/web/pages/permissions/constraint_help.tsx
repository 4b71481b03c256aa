/** Help about constraints: examples and field names. */

import { OBJECT_TYPES } from "../../../auth/mod.ts";
import { constraintNames } from "../../../domain/accounts/permissions/mod.ts";
import { assetPath } from "../../assets/mod.ts";
import type { Call } from "../../call.ts";
import type { Html } from "../../kit/components/mod.ts";
import { typeLabel } from "../../type_label.ts";
import { CHECK_PATH } from "./check_constraints.ts";

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

/** Renders collapsed examples and names, and the element for errors from the script. */
export function ConstraintHelp({ call }: { call: Call }): Html {
  return (
    <div class="field">
      <div class="flash" role="status" data-check-constraints={CHECK_PATH} hidden></div>
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
        {OBJECT_TYPES.map((type) => (
          <div data-filters-of={type}>
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
      <script type="module" src={assetPath("constraints.js")}></script>
    </div>
  );
}

/** View of permissions. */

import { actionsOn, isObjectType, OBJECT_TYPES } from "../../../auth/mod.ts";
import { checkConstraints } from "../../../domain/accounts/permissions/prepare.ts";
import { type Permission, permissions } from "../../../domain/accounts/permissions/resource.ts";
import type { Html } from "../../kit/components/mod.ts";
import { capitalized } from "../../messages.ts";
import { conditionsText, defineView, type FormState, ObjectLinks, viewRoutes } from "../../kit/mod.ts";
import { actionWords, constraintsOf, May } from "./words.tsx";
import { countedObjects, typeOptions } from "../../type_label.ts";
import { resourceOf } from "../../../domain/registry.ts";
import type { Call, Route } from "../../call.ts";

function Holders({ row }: { row: Permission }): Html {
  const holders = [...row.groups, ...row.users];
  if (holders.length === 0) return <span class="faint">nobody</span>;
  return ObjectLinks({ briefs: holders });
}

/** The form shows help and errors of constraints while they are typed. */
const permissionView = defineView<Permission>({
  resource: permissions,
  columns: [
    { name: "groups", label: "Who", needs: ["users"], cell: (row) => <Holders row={row} /> },
    { name: "actions", label: "May", needs: ["object_types", "enabled"], cell: (row) => <May row={row} /> },
    { name: "constraints", label: "Only where", cell: constraintsOf, layout: ["p2", "folds", "named"] },
    "enabled",
    "object_types",
    "users",
  ],
  usual: ["groups", "actions", "constraints"],
  filters: ["enabled", "object_types", "actions", "users_id", "groups_id"],
  fields: {
    object_types: { choices: () => typeOptions(OBJECT_TYPES), help: "" },
    actions: {
      choices: () =>
        [...new Set(OBJECT_TYPES.flatMap((type) => actionsOn(type)))]
          .map((action) => [action, capitalized(actionWords(action))] as const),
      help: "",
    },
    constraints: {
      help: 'JSON: {"tenant__slug": "acme"} means objects of the tenant acme.',
      text: conditionsText,
      picker: {
        map: ({ ctx }, { object_types: types = [] }) => {
          const [first = "certmgr.certificate"] = [types].flat();
          return isObjectType(first) ? ctx.mapOf(first) : undefined;
        },
        notation: "constraint",
        dependsOn: ["object_types"],
      },
      note: constraintHelp,
    },
  },
  detail: (_, permission) => ({
    facts: [
      ["Who", <Holders row={permission} />],
      ["May", <May row={permission} />],
      ["Only where", constraintsOf(permission)],
    ],
    without: ["users", "groups", "actions", "constraints"],
  }),
  form: {
    sections: [
      { title: "Permission", fields: ["name", "description", "enabled"] },
      { title: "Who", fields: ["users", "groups"] },
      {
        title: "What",
        about: "Each of these actions on each of these types.",
        fields: ["actions", "object_types"],
      },
      {
        title: "Which objects",
        about: "Without constraints, the permission is about all objects of these types.",
        fields: ["constraints"],
      },
    ],
  },
  empty:
    "No permissions yet. A permission allows users and groups to perform actions on one or more object types. The form of a user has the usual ones.",
});

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

/** Renders the errors of the constraints or what they match, and collapsed examples. */
async function constraintHelp(
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

export const permissionRoutes: readonly Route[] = viewRoutes(permissionView);

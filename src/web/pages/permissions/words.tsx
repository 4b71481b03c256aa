/** Permissions in words: who may do what, with which objects. */

import type { Permission } from "../../../domain/accounts/permissions/mod.ts";
import { type Content, type Html, truncate } from "../../kit/components/mod.ts";
import { conditionsText, type Fact, ObjectLinks, type View } from "../../kit/mod.ts";
import { capitalized } from "../../messages.ts";
import { actionsText, typesText } from "../../permission_words.ts";

/** Maximum length of constraints in a list; the page of the permission has all. */
const MAX_WORDS = 200;

function Holders({ row }: { row: Permission }): Html {
  const holders = [...row.groups, ...row.users];
  if (holders.length === 0) return <span class="faint">nobody</span>;
  return ObjectLinks({ briefs: holders });
}

function May({ row }: { row: Permission }): Html {
  const actions = actionsText(row.actions);
  const types = typesText(row.object_types);
  return (
    <span class="in-words">
      <strong>{capitalized(types)}</strong>: {actions}
      {row.enabled === false ? <span class="faint">, but the permission is disabled</span> : null}
    </span>
  );
}

function constraintsOf({ constraints }: Pick<Permission, "constraints">): Content {
  if (constraints === null) return <span class="faint">all objects</span>;
  const text = truncate(conditionsText(constraints), MAX_WORDS);
  return (
    <span class="in-words">
      <bdi>{text}</bdi>
    </span>
  );
}

/** Columns of the list in words. */
export const PERMISSION_COLUMNS: View<Permission>["columns"] = [
  { name: "groups", label: "Who", needs: ["users"], cell: (row) => <Holders row={row} /> },
  { name: "actions", label: "May", needs: ["object_types", "enabled"], cell: (row) => <May row={row} /> },
  { name: "constraints", label: "Only where", cell: constraintsOf, under: constraintsOf },
];

/** Returns the facts of a permission in the words of the list. */
export function permissionFacts(permission: Permission): readonly Fact[] {
  return [
    ["Who", <Holders row={permission} />],
    ["May", <May row={permission} />],
    ["Only where", constraintsOf(permission)],
  ];
}

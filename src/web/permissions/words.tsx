/** Permissions in words: who may do what, with which objects. */

import { resourceOf } from "../../domain/registry.ts";
import { type Content, type Html, truncate } from "../components/mod.ts";
import { type ApiObject, conditionsText, ObjectLink, type View } from "../objects/mod.ts";
import { capitalized } from "../messages.ts";
import { pluralOf, typeOptions } from "../type_label.ts";

const WORDS = new Intl.ListFormat("en-GB", { type: "conjunction" });
/** Number of types that a list names. */
const NAMED = 4;
/** Maximum length of constraints in a list; the page of the permission has all. */
const MAX_WORDS = 200;

/** Words for actions whose names are no verbs. */
const ACTIONS: Readonly<Record<string, string>> = {
  bulk_operations: "change several at once",
  manage_compliance: "check",
};

/** Returns actions in words: "view, add and change". */
function actionsText(actions: unknown): string {
  return WORDS.format(
    (actions as readonly string[]).map((one) => ACTIONS[one] ?? one.replaceAll("_", " ")),
  );
}

/** Returns types in words: "certificates, endpoints and 3 more types". */
function typesText(types: unknown): string {
  const names = typeOptions(types as readonly string[]).map(([type]) => {
    const resource = resourceOf(type);
    return resource === undefined ? type : pluralOf(resource);
  });
  const more = names.length - NAMED;
  // A single further type is as short as its number.
  return WORDS.format(more > 1 ? [...names.slice(0, NAMED), `${more} more types`] : names);
}

function Holders({ row }: { row: ApiObject }): Html {
  const holders = [row.groups, row.users].flat() as readonly ApiObject[];
  if (holders.length === 0) return <span class="faint">nobody</span>;
  return <>{holders.map((one, index) => <>{index === 0 ? "" : ", "}{ObjectLink({ brief: one })}</>)}</>;
}

function May({ row }: { row: ApiObject }): Html {
  const [actions, types] = [actionsText(row.actions), typesText(row.object_types)];
  return (
    <span class="in-words">
      <strong>{capitalized(types)}</strong>: {actions}
      {row.enabled === false ? <span class="faint">, but the permission is disabled</span> : null}
    </span>
  );
}

function constraintsOf({ constraints }: ApiObject): Content {
  if (constraints === null) return <span class="faint">all objects</span>;
  const text = truncate(conditionsText(constraints), MAX_WORDS);
  return (
    <span class="in-words">
      <bdi>{text}</bdi>
    </span>
  );
}

/** Columns of the list in words. */
export const PERMISSION_CELLS: NonNullable<View["cells"]> = {
  groups: { label: "Who", needs: ["users"], cell: (row) => <Holders row={row} /> },
  actions: { label: "May", needs: ["object_types", "enabled"], cell: (row) => <May row={row} /> },
  constraints: { label: "Only where", needs: [], cell: constraintsOf },
};

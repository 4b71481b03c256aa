/** Permissions in words: who may do what, with which objects. */

import { listText } from "../../../base/amounts.ts";
import { resourceOf } from "../../../domain/registry.ts";
import { pluralOf, typeOptions } from "../../type_label.ts";

import type { Permission } from "../../../domain/accounts/permissions/resource.ts";
import { type Content, type Html, truncate } from "../../kit/components/mod.ts";
import { conditionsText } from "../../kit/filters/filter_words.tsx";
import { capitalized } from "../../messages.ts";

/** Maximum length of constraints in a list; the page of the permission has all. */
const MAX_WORDS = 200;
/** Number of types that are named; the page of a permission has all. */
const NAMED = 4;

/** Words for actions whose names are no verbs. */
const ACTIONS: Readonly<Record<string, string>> = {
  bulk_operations: "change several at once",
  manage_compliance: "manage checks",
};

/** Returns an action in words. */
export function actionWords(action: string): string {
  return ACTIONS[action] ?? action.replaceAll("_", " ");
}

/** Renders what a permission allows. */
export function May(
  { row, whole = false }: {
    row: Pick<Permission, "object_types" | "actions"> & { readonly enabled?: boolean };
    /** Whether all types are named. */
    whole?: boolean;
  },
): Html {
  const names = typeOptions(row.object_types).map(([type]) => {
    const resource = resourceOf(type);
    return resource === undefined ? type : pluralOf(resource);
  });
  const more = names.length - NAMED;
  // A single further type is as short as its number.
  const types = listText(more > 1 && !whole ? [...names.slice(0, NAMED), `${more} more types`] : names);
  return (
    <span class="in-words">
      <strong>{capitalized(types)}</strong>: {listText(row.actions.map(actionWords))}
      {row.enabled === false ? <span class="faint">, but the permission is disabled</span> : null}
    </span>
  );
}

/** Renders to which objects a permission is restricted. */
export function constraintsOf({ constraints }: Pick<Permission, "constraints">): Content {
  if (constraints === null) return <span class="faint">all objects</span>;
  const text = truncate(conditionsText(constraints), MAX_WORDS);
  return (
    <span class="in-words">
      <bdi>{text}</bdi>
    </span>
  );
}

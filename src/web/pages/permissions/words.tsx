/** Permissions in words: who may do what, with which objects. */

import { listText } from "../../../base/amounts.ts";
import { resourceOf } from "../../../domain/registry.ts";
import { pluralOf, typeOptions } from "../../type_label.ts";

import type { Permission } from "../../../domain/accounts/permissions/resource.ts";
import { isDictionary } from "../../../filters/mod.ts";
import type { Call } from "../../call.ts";
import { type Content, type Html, truncate } from "../../kit/components/mod.ts";
import { filterTarget } from "../../kit/filters/filter_description.ts";
import { conditionsText, inWords } from "../../kit/filters/filter_words.tsx";
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

/**
 * Returns the constraints of permissions in words, with the names of the objects that they name by id; nothing for lists
 * of values. A statement for each type of these objects.
 */
export async function constraintWords<Of extends Pick<Permission, "constraints" | "object_types">>(
  call: Call,
  rows: readonly Of[],
): Promise<ReadonlyMap<Of, string>> {
  const plain = rows.flatMap((row) => {
    const parts = [row.constraints].flat().filter(isDictionary);
    const resource = resourceOf(row.object_types[0] ?? "");
    const isPlain = parts.every((part) =>
      Object.values(part).every((value) => typeof value !== "object" || value === null)
    );
    return resource === undefined || parts.length === 0 || !isPlain ? [] : [{ row, resource, parts }];
  });
  const queries = plain.flatMap(({ resource, parts }) =>
    parts.map((part) => ({
      resource,
      parameters: Object.entries(part).map(([name, value]): [string, string] => [
        typeof value === "number" && filterTarget(call, resource, `${name}_id`) !== undefined
          ? `${name}_id`
          : name,
        String(value),
      ]),
    }))
  );
  const words = (await inWords(call, queries)).map((conditions) => conditions.join(" and "));
  return new Map(
    plain.map(({ row, parts }) => [row, truncate(words.splice(0, parts.length).join(", or "), MAX_WORDS)]),
  );
}

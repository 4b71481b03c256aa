/** Actions and object types of permissions in words. */

import { listText } from "../base/amounts.ts";
import { resourceOf } from "../domain/registry.ts";
import { pluralOf, typeOptions } from "./type_label.ts";

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

/** Returns actions in words: "view, add and change". */
export function actionsText(actions: readonly string[]): string {
  return listText(actions.map(actionWords));
}

/** Returns types in words: "certificates, endpoints and 3 more types". */
export function typesText(types: readonly string[]): string {
  const names = typeOptions(types).map(([type]) => {
    const resource = resourceOf(type);
    return resource === undefined ? type : pluralOf(resource);
  });
  const more = names.length - NAMED;
  // A single further type is as short as its number.
  return listText(more > 1 ? [...names.slice(0, NAMED), `${more} more types`] : names);
}

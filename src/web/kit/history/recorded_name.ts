/** Names of changed objects: those of assignments are the names of what they connect. */

import type { Snapshot } from "../../../changes/mod.ts";
import type { ObjectChange } from "../../../domain/system/object_changes/resource.ts";
import { resourceOf } from "../../../domain/registry.ts";
import { isDictionary } from "../../../filters/mod.ts";
import type { Resource } from "../../../resource/mod.ts";
import { articled, nounOf } from "../../type_label.ts";
import { genericsOf, shortName, withoutExpiry } from "../reference/reference_text.ts";
import type { Snapshots } from "./change_sentences.tsx";
import { nameIn, type RelatedNames } from "./recorded_value.tsx";

/** Fields of the objects that connect two others: the first object, and the words before the second one. */
export const CONNECTED: Readonly<Record<string, readonly [name: string, words: string]>> = {
  "certmgr.certificateassignment": ["certificate", "on"],
  "tenancy.contactassignment": ["contact", "for"],
};

/** A change record with the snapshots of {@link withTargets}. */
type NamedChange = Snapshots & Pick<ObjectChange, "changed_object_type" | "object_repr">;

/**
 * Returns the name of a changed object, without its expiry, which another column has. An assignment has the names of the
 * objects that it connects, as far as they exist and the user may view them.
 */
export function recordedName(change: NamedChange, names?: RelatedNames): string {
  const connected = connectedNames(change, names);
  if (connected === undefined) return withoutExpiry(change.object_repr);
  return `${connected.first} ${connected.words} ${connected.second}`;
}

/** Returns the names of the objects that an assignment connects, and the words between them; undefined for other objects. */
export function connectedNames(
  { changed_object_type: type, prechange_data: before, postchange_data: after }: NamedChange,
  names: RelatedNames = new Map(),
): { first: string; words: string; second: string } | undefined {
  const resource = resourceOf(type);
  const connection = CONNECTED[type];
  if (resource === undefined || connection === undefined) return undefined;
  const [name, words] = connection;
  const fields = after ?? before ?? {};
  const [generic] = genericsOf(resource);
  const object = fields[generic?.name ?? ""];
  const { type: targetType, id } = isDictionary(object) ? object : {};
  const target = generic?.targets.find(({ objectType }) => objectType === targetType);
  const nameOf = (one: Resource | undefined, id: unknown): string =>
    one === undefined
      ? "an object"
      : withoutExpiry(shortName(nameIn(names, one, Number(id)) ?? articled(nounOf(one))));
  return {
    first: nameOf(resource.fields[name]?.refers?.target?.(), fields[name]),
    words,
    second: nameOf(target, id),
  };
}

/** Returns the parts of an assignment's change that {@link connectionSentence} names. */
export function namedParts(change: NamedChange): Snapshot[] {
  const name = change.changed_object_type === "tenancy.contactassignment" ? "contact" : "assigned_object";
  return [change.prechange_data, change.postchange_data].map((data) => ({ [name]: data?.[name] }));
}

/** Words for what happened to an assignment, by the action of its change. */
const HAPPENED: Readonly<Record<string, string>> = { create: "added", update: "changed", delete: "removed" };

/** Returns "Assignment to lb-1 added", or "Contact Web team removed", for the page of the certificate. */
export function connectionSentence(
  change: NamedChange & Pick<ObjectChange, "action">,
  names: RelatedNames,
): string | undefined {
  const connected = connectedNames(change, names);
  if (connected === undefined) return undefined;
  const { prechange_data: before, postchange_data: after } = change;
  const isMoved = before !== null && after !== null && before.certificate !== after.certificate;
  const happened = isMoved ? "moved here" : HAPPENED[change.action.value] ?? "changed";
  return change.changed_object_type === "tenancy.contactassignment"
    ? `Contact ${connected.first} ${happened}`
    : `Assignment to ${connected.second} ${happened}`;
}

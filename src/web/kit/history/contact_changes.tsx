/** Changes of the contacts that are responsible for an object, in its history. */

import { visibleSql } from "../../../auth/mod.ts";
import { contactAssignments, visibleNames } from "../../../domain/contact_assignments/mod.ts";
import type { ObjectChange } from "../../../domain/system/object_changes/mod.ts";
import type { Resource } from "../../../resource/mod.ts";
import type { Call } from "../../call.ts";
import { type Content, Joined } from "../components/mod.ts";
import { changeSentences } from "./change_sentences.tsx";
import type { RelatedChange } from "./history.tsx";
import {
  nameIn,
  type RecordedTarget,
  recordedValue,
  type RelatedNames,
  withTargets,
} from "./recorded_value.tsx";

const { contact, role, object } = contactAssignments.fields;

/** The object whose history is shown. */
interface Shown {
  readonly resource: Resource;
  readonly id: number;
}

/**
 * Returns changes of assignments of contacts in words, without those that name hidden contacts or objects: for callers
 * from whom some are hidden, this includes what was deleted. One statement, none without changes.
 */
export async function contactChanges(
  { ctx }: Call,
  given: readonly ObjectChange[],
  shown: Shown,
): Promise<RelatedChange[]> {
  const changes = given.map((row) => withTargets(row, contactAssignments));
  const mentioned = changes.map((change) => mentionedIn(change, shown));
  const ids = new Map<Resource, number[]>();
  for (const [target, id] of mentioned.flat()) ids.set(target, [...ids.get(target) ?? [], id]);
  const names = await visibleNames(ctx, ids);
  const isKnown = ([target, id]: Mentioned): boolean =>
    nameIn(names, target, id) !== undefined || visibleSql(ctx, target.map) === undefined;
  return changes.filter((_, index) => mentioned[index]?.every(isKnown))
    .map((change) => ({ ...change, text: contactText(change, { ...shown, names }) }));
}

type Mentioned = readonly [type: Resource, id: number];

/** Returns contacts, roles and objects of an assignment before and after its change, except the shown object. */
function mentionedIn(change: ObjectChange, shown: Shown): Mentioned[] {
  const found = [change.prechange_data, change.postchange_data].flatMap(
    (data): [Resource | undefined, unknown][] => {
      if (data === null) return [];
      const place = data.object as RecordedTarget;
      const target = object?.targets?.find(({ objectType }) => objectType === place.type);
      return [
        [contact?.target?.(), data.contact],
        [role?.target?.(), data.role],
        [isShown(place, shown) ? undefined : target, place.id],
      ];
    },
  );
  return found.filter((one): one is [Resource, number] => one[0] !== undefined && typeof one[1] === "number");
}

function isShown({ type, id }: RecordedTarget, { resource, id: shown }: Shown): boolean {
  return type === resource.objectType && id === shown;
}

/** Returns "Contact Ann (Owner) of device web-01 added". */
function contactText(
  { prechange_data: before, postchange_data: after }: ObjectChange,
  { names, ...shown }: Shown & { names: RelatedNames },
): Content {
  const data = after ?? before ?? {};
  const context = { resource: contactAssignments, names };
  const value = (name: string): Content => recordedValue(data[name], { ...context, name });
  const who = <>Contact {value("contact")}{data.role === null ? "" : <>{" "}({value("role")})</>}</>;
  const where = isShown(data.object as RecordedTarget, shown) ? "" : <>{" "}of {value("object")}</>;
  if (before === null || after === null) {
    return <>{who}{where} {after === null ? "removed" : "added"}</>;
  }
  const sentences = changeSentences({ prechange_data: before, postchange_data: after }, context);
  return (
    <>
      {who}
      {where}: <Joined items={sentences} />
    </>
  );
}

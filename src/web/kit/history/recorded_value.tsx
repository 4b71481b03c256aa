/** Values as the change log has recorded them. */

import type { Snapshot } from "../../../changes/mod.ts";
import { isGranted } from "../../../auth/mod.ts";
import { loadBriefs, type Resource, shapeOf } from "../../../resource/mod.ts";
import { isDictionary } from "../../../filters/mod.ts";
import type { Call } from "../../call.ts";
import { type Content, type Html, Joined, Time, truncate } from "../components/mod.ts";
import { objectPath } from "../../paths.ts";
import { nounOf, typeLabel } from "../../type_label.ts";
import { genericsOf } from "../reference/reference_text.ts";
import { Text } from "../detail/value.tsx";

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|\+00:00)$/;

/** Returns whether a recorded value is empty: null, or an empty text, list or object. */
export function isNothing(value: unknown): boolean {
  return value === null || value === undefined || value === "" ||
    typeof value === "object" && Object.keys(value).length === 0;
}

/** Renders a recorded value of a field: times, yes and no, and links to related objects, which are recorded by id. */
export function recordedValue(
  value: unknown,
  { resource, name, most, names = NO_NAMES }: {
    /** Undefined for types that no longer exist. */
    resource: Resource | undefined;
    name: string;
    /** Names of related objects that exist and that the user may view. */
    names?: RelatedNames;
    /** Characters after which a text is truncated. */
    most?: number;
  },
): Content {
  if (isNothing(value)) return <span class="faint">–</span>;
  if (typeof value === "boolean") return value ? "yes" : "no";
  const field = resource?.fields[name];
  if (typeof value === "number") {
    const target = field?.refers?.target?.();
    return target === undefined ? String(value) : <RelatedLink target={target} id={value} names={names} />;
  }
  const target = targetIn(value);
  const generic = field?.refers?.targets?.find(({ objectType }) => objectType === target?.type);
  if (generic !== undefined && target !== undefined) {
    return (
      <>
        <span class="faint">{typeLabel(generic.objectType)}</span>{" "}
        <RelatedLink target={generic} id={target.id} names={names} />
      </>
    );
  }
  const related = field?.refers?.target?.();
  if (related !== undefined && Array.isArray(value) && value.every((one) => typeof one === "number")) {
    return <Joined items={value.map((id) => <RelatedLink target={related} id={id} names={names} />)} />;
  }
  const recorded = textOf(value);
  const text = field !== undefined && shapeOf(field).choices !== undefined
    ? recorded.replaceAll("_", " ")
    : recorded;
  if (TIME.test(text)) return <Time at={text} />;
  return most === undefined ? <Text text={text} /> : <bdi>{truncate(text, most)}</bdi>;
}

/** Renders a related object by its name, or by its id if it was deleted or is hidden. */
function RelatedLink({ target, id, names }: { target: Resource; id: number; names: RelatedNames }): Html {
  return (
    <a href={objectPath(target, id)} class="underlined">
      <bdi>{nameIn(names, target, id) ?? `${nounOf(target)} ${id}`}</bdi>
    </a>
  );
}

/** Names of objects by type and id. */
export type RelatedNames = ReadonlyMap<string, ReadonlyMap<number, string>>;
const NO_NAMES: RelatedNames = new Map();

/** Returns the name of an object; undefined if it was deleted or is hidden. */
export function nameIn(names: RelatedNames, { objectType }: Resource, id: number): string | undefined {
  return names.get(objectType)?.get(id);
}

/** The object of a generic reference in a snapshot of {@link withTargets}. */
interface RecordedTarget {
  readonly type: string;
  readonly id: number;
}

/** Returns the object of a recorded generic reference; undefined for other values. */
export function targetIn(value: unknown): RecordedTarget | undefined {
  if (!isDictionary(value)) return undefined;
  const { type, id } = value;
  return typeof type === "string" && typeof id === "number" ? { type, id } : undefined;
}

/**
 * Joins the two recorded fields of each generic reference, `assigned_object_type` and `assigned_object_id`, into one
 * with the name of the reference, so that a change of an object is one change and its name can be shown.
 */
export function withTargets<
  Change extends { prechange_data: Snapshot | null; postchange_data: Snapshot | null },
>(
  change: Change,
  resource: Resource | undefined,
): Change {
  const generics = resource === undefined ? [] : genericsOf(resource);
  if (generics.length === 0) return change;
  const joined = (snapshot: Snapshot | null): Snapshot | null => {
    if (snapshot === null || snapshot === undefined) return snapshot;
    const fields = { ...snapshot };
    for (const { name, type, id } of generics) {
      fields[name] = targetIn({ type: fields[type.name], id: fields[id.name] }) ?? null;
      delete fields[type.name];
      delete fields[id.name];
    }
    return fields;
  };
  return {
    ...change,
    prechange_data: joined(change.prechange_data),
    postchange_data: joined(change.postchange_data),
  };
}

/** Recorded values of an object. */
interface Recorded {
  /** Undefined for types that no longer exist. */
  readonly resource: Resource | undefined;
  readonly snapshots: readonly (Snapshot | null)[];
}

/** Returns the names of objects to which recorded values refer. One statement for each type. */
export async function loadRelatedNames({ ctx }: Call, recorded: readonly Recorded[]): Promise<RelatedNames> {
  const ids = new Map<Resource, Set<number>>();
  const add = (target: Resource | undefined, some: readonly number[]): void => {
    if (target === undefined || some.length === 0 || !isGranted(ctx, "view", target.objectType)) return;
    ids.set(target, new Set([...ids.get(target) ?? [], ...some]));
  };
  for (const { resource, snapshots } of recorded) {
    for (const { name, refers: { target, targets = [] } = {} } of Object.values(resource?.fields ?? {})) {
      const values = snapshots.flatMap((one) => [one?.[name]].flat()).filter((value) => !isNothing(value));
      if (values.length === 0) continue;
      for (const one of targets) {
        const own = values.flatMap((value) => targetIn(value) ?? []);
        add(one, own.filter(({ type }) => type === one.objectType).map(({ id }) => id));
      }
      if (target !== undefined) add(target(), values.filter((id) => typeof id === "number"));
    }
  }
  return new Map(
    await Promise.all([...ids].map(async ([target, some]) => {
      const briefs = await loadBriefs(ctx, target, some);
      const names = [...briefs].map(([id, { display }]) => [id, truncate(display)] as const);
      return [target.objectType, new Map(names)] as const;
    })),
  );
}

function textOf(value: unknown): string {
  if (typeof value === "string") return value;
  if (Array.isArray(value) && value.every((one) => typeof one !== "object")) return value.join(", ");
  return isDictionary(value) && value.display !== undefined ? String(value.display) : JSON.stringify(value);
}

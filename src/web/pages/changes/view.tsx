/** View of the change log. */

import { OBJECT_TYPES } from "../../../auth/mod.ts";
import { type ObjectChange, objectChanges } from "../../../domain/system/object_changes/mod.ts";
import { resourceOf } from "../../../domain/registry.ts";
import type { Call } from "../../call.ts";
import { counted, numberText } from "../../../base/amounts.ts";
import type { Resource } from "../../../resource/mod.ts";
import { type Content, type Html, type RowGroups, Time } from "../../kit/components/mod.ts";
import {
  changedFields,
  changedParts,
  ChangedValues,
  genericsOf,
  listPage,
  loadRelatedNames,
  nameIn,
  type RecordedTarget,
  recordedValue,
  type RelatedNames,
  shortName,
  type Snapshots,
  type View,
  withoutExpiry,
  withTargets,
} from "../../kit/mod.ts";
import { labelOf } from "../../messages.ts";
import { articled, nounOf, typeLabel } from "../../type_label.ts";

/** Fields of the objects that connect two others: the first object, and the words before the second one. */
const CONNECTED: Readonly<Record<string, readonly [name: string, words: string]>> = {
  "certmgr.certificateassignment": ["certificate", "on"],
  "tenancy.contactassignment": ["contact", "for"],
};

/** A change record with the snapshots of {@link withTargets}. */
export type NamedChange = Snapshots & Pick<ObjectChange, "changed_object_type" | "object_repr">;

/**
 * Returns the name of a changed object, without its expiry, which another column has. An assignment has the names of the
 * objects that it connects, as far as they exist and the user may view them.
 */
export function recordedName(change: NamedChange, names?: RelatedNames): string {
  const connected = connectedNames(change, names);
  if (connected === undefined) return withoutExpiry(change.object_repr);
  return `${connected.first} ${connected.words} ${connected.second}`;
}

/** Returns the same for a row, whose column may have space for one name only: that in which assignments differ. */
function nameInList(change: NamedChange, names?: RelatedNames): string {
  const connected = connectedNames(change, names);
  return connected === undefined
    ? withoutExpiry(change.object_repr)
    : `${connected.second} · ${connected.first}`;
}

/** Returns the names of the objects that an assignment connects, and the words between them; undefined for other objects. */
function connectedNames(
  { changed_object_type: type, prechange_data: before, postchange_data: after }: NamedChange,
  names: RelatedNames = new Map(),
): { first: string; words: string; second: string } | undefined {
  const resource = resourceOf(type);
  const connection = CONNECTED[type];
  if (resource === undefined || connection === undefined) return undefined;
  const [name, words] = connection;
  const fields = after ?? before ?? {};
  const [generic] = genericsOf(resource);
  const object = fields[generic?.name ?? ""] as RecordedTarget | null | undefined;
  const target = generic?.targets.find(({ objectType }) => objectType === object?.type);
  const nameOf = (one: Resource | undefined, id: unknown): string =>
    one === undefined
      ? "an object"
      : withoutExpiry(shortName(nameIn(names, one, Number(id)) ?? articled(nounOf(one))));
  return {
    first: nameOf(resource.fields[name]?.target?.(), fields[name]),
    words,
    second: nameOf(target, object?.id),
  };
}

/** Text of the link to all changes of one request, a word of HTTP that users need not know. */
export const TOGETHER = "All changes made at once";

/** Number of object types that the heading of a request names. */
const NAMED_KINDS = 4;

/** Returns "37 certificates" for changes of objects of one type. */
function countOf(type: string, { length }: readonly Change[]): string {
  const label = length === 1 ? typeLabel(type) : resourceOf(type)?.labelPlural ?? type;
  return `${numberText(length)} ${label}`;
}

/**
 * Renders the heading of a request: number of changes on this page by object type, as a link to all changes of the
 * request, also those on other pages; user and time.
 */
function RequestHead({ rows }: { rows: readonly Change[] }): Html {
  const [{ request_id = "", made: { user = "", time = "" } = {} } = {}] = rows;
  const kinds = [...Map.groupBy(rows, ({ changed_object_type: type }) => type)]
    .toSorted(([, a], [, b]) => b.length - a.length);
  const others = kinds.slice(NAMED_KINDS).flatMap(([, ones]) => ones).length;
  const named = [
    ...kinds.slice(0, NAMED_KINDS).map(([type, ones]) => countOf(type, ones)),
    ...others === 0 ? [] : [`${numberText(others)} others`],
  ];
  return (
    <>
      <a href={`/changes/?${new URLSearchParams({ show: "all", request_id__ie: request_id })}`}>
        <strong>{rows.length} changes at once: {named.join(", ")}</strong>
      </a>{" "}
      <span class="faint">
        <bdi>{user === "" ? "the service" : user}</bdi>, <Time at={time} />
      </span>
    </>
  );
}

/**
 * Moves user and time of the rows of a group to its heading, and adds the expiry of certificates to rows that would
 * have the same name as another object of the group.
 */
function asGroups(rows: readonly ObjectChange[]): readonly Change[] {
  const keyOf = ({ request_id, changed_object_type: type, object_repr: name }: ObjectChange): string =>
    JSON.stringify([request_id, type, withoutExpiry(name)]);
  const namesakes = Map.groupBy(rows, keyOf);
  return rows.map((row, index): Change => {
    const isGrouped = [rows[index - 1], rows[index + 1]].some((one) => one?.request_id === row.request_id);
    if (!isGrouped) return row;
    const isDistinct = new Set(namesakes.get(keyOf(row))?.map((one) => one.changed_object_id)).size === 1;
    const made = { user: row.user_name, time: row.time };
    return {
      ...row,
      made,
      user_name: "",
      time: null,
      ...(isDistinct ? {} : { expiry: (row.postchange_data ?? row.prechange_data)?.valid_to }),
    };
  });
}

/** Renders the expiry that distinguishes a certificate from another one of its group; nothing without it. */
function ExpiryBefore({ change: { expiry } }: { change: Change }): Content {
  return typeof expiry === "string" ? <span class="whole faint">expires {expiry.slice(0, 10)}</span> : "";
}

/** Number of changed fields that a row shows with their values; of others it shows only the names. */
const SHOWN_FIELDS = 1;

/** A row of the list. */
type Change = Omit<ObjectChange, "time"> & {
  /** Null if it is in the heading of its group. */
  readonly time: string | null;
  /** Who made the changes of its group, and when. */
  readonly made?: { readonly user: string; readonly time: string };
  readonly expiry?: unknown;
  readonly names?: RelatedNames;
};

/** Adds the names of the objects to which the shown values and the names of assignments refer. */
async function withNames(call: Call, given: readonly ObjectChange[]): Promise<readonly Change[]> {
  const rows = given.map((row) => withTargets(row, resourceOf(row.changed_object_type)));
  const recorded = rows.map((row) => ({
    resource: resourceOf(row.changed_object_type),
    snapshots: row.changed_object_type in CONNECTED
      ? [row.prechange_data, row.postchange_data]
      : changedParts(row, SHOWN_FIELDS),
  }));
  const names = await loadRelatedNames(call, recorded);
  return asGroups(rows).map((row) => ({ ...row, names }));
}

/** Renders the user of a change and its first new value, for the line under a name: "ines: Status → active". */
function ChangeBrief({ change }: { change: Change }): Content {
  const [name, ...others] = changedFields(change);
  const user = change.user_name === "" ? "the service" : change.user_name;
  const isGrouped = change.made !== undefined;
  if (name === undefined) {
    if (isGrouped) return <ExpiryBefore change={change} />;
    return (
      <>
        by <bdi>{user}</bdi>
      </>
    );
  }
  return (
    <span class="wraps">
      {isGrouped ? <ExpiryBefore change={change} /> : <bdi>{user}</bdi>}
      {isGrouped ? change.expiry === undefined ? "" : " · " : ": "}
      {labelOf(name)} → {recordedValue(change.postchange_data?.[name], {
        resource: resourceOf(change.changed_object_type),
        name,
        most: BRIEF_CHARS,
        ...(change.names === undefined ? {} : { names: change.names }),
      })}
      {others.length === 0 ? "" : ` and ${numberText(others.length)} more`}
    </span>
  );
}

/** Maximum characters of a value in {@link ChangeBrief}. */
const BRIEF_CHARS = 40;

/** The page of one change is a separate module. */
export const changeView: View<Change> = {
  resource: objectChanges,
  heading: "Change log",
  name: {
    label: "Object",
    needs: ["object_repr", "request_id", "user_name", "time", "changed_object_id"],
    of: (row) => nameInList(row, row.names),
  },
  columns: [
    "action",
    "time",
    {
      name: "postchange_data",
      label: "Changes",
      cell: (row) => (
        <>
          <ExpiryBefore change={row} />
          {row.expiry === undefined || changedFields(row).length === 0 ? "" : " · "}
          <ChangedValues
            change={row}
            resource={resourceOf(row.changed_object_type)}
            most={SHOWN_FIELDS}
            {...(row.names === undefined ? {} : { names: row.names })}
          />
        </>
      ),
      under: (row) => <ChangeBrief change={row} />,
    },
    "user_name",
    "changed_object_type",
  ],
  withMore: withNames,
  // Probes and jobs of the service write most of the log, so that changes by users would be hard to find.
  tabs: { parts: [["By users", { user_id__n: "null" }]], first: true },
  filters: ["action", "changed_object_type", "user_id", "time__gte", "time__lt"],
  fields: {
    changed_object_type: { choices: () => OBJECT_TYPES.map((type) => [type, typeLabel(type)] as const) },
  },
  title: {
    needs: ["object_repr", "changed_object_type", "prechange_data", "postchange_data"],
    of: (row) => recordedName(row, row.names),
  },
  empty: "No changes yet.",
};

/** The changes of a request, which can be of many objects, as a group of rows. */
const BY_REQUEST: RowGroups<Change> = {
  key: ({ request_id }) => request_id,
  head: (rows) => <RequestHead rows={rows} />,
  others: (count) => counted(count, "more change"),
};

/** Renders the change log. */
export async function changeList(call: Call, view: View): Promise<Response> {
  return await listPage(call, view, () => ({ groups: BY_REQUEST }));
}

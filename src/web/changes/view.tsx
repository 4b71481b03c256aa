/** View of the change log. */

import { OBJECT_TYPES } from "../../auth/mod.ts";
import { objectChanges } from "../../domain/system/object_changes/mod.ts";
import { resourceOf } from "../../domain/registry.ts";
import type { Call } from "../call.ts";
import { type Html, Time } from "../components/mod.ts";
import {
  type ApiObject,
  changedParts,
  ChangedValues,
  loadRelatedNames,
  type RelatedNames,
  type View,
} from "../objects/mod.ts";
import { typeLabel } from "../type_label.ts";

/** Returns the name of an object without its type and its expiry, which other columns have. */
export function recordedName(name: string): string {
  const [, type, id] = /^([a-z]+\.[a-z]+) (\d+)$/.exec(name) ?? [];
  return type === undefined ? name.replace(/ \(expires: [^()]*\)$/, "") : `${typeLabel(type)} ${id}`;
}

/** Number of object types that the heading of a request names. */
const NAMED_KINDS = 4;

/** Returns "37 certificates" for changes of objects of one type. */
function countOf(type: string, { length }: readonly ApiObject[]): string {
  const label = length === 1 ? typeLabel(type) : resourceOf(type)?.labelPlural ?? type;
  return `${length.toLocaleString("en")} ${label}`;
}

/** Renders the heading of a request: number of changes on this page by object type, user and time. */
function RequestHead({ rows }: { rows: readonly ApiObject[] }): Html {
  const [{ user_name: user, time }] = rows as readonly [ApiObject];
  const kinds = [...Map.groupBy(rows, ({ changed_object_type: type }) => String(type))]
    .toSorted(([, a], [, b]) => b.length - a.length);
  const others = kinds.slice(NAMED_KINDS).flatMap(([, ones]) => ones).length;
  const named = [
    ...kinds.slice(0, NAMED_KINDS).map(([type, ones]) => countOf(type, ones)),
    ...others === 0 ? [] : [`${others.toLocaleString("en")} others`],
  ];
  return (
    <>
      <strong>{rows.length} changes at once: {named.join(", ")}</strong>{" "}
      <span class="faint">
        <bdi>{user === "" ? "the service" : String(user)}</bdi>, <Time at={String(time)} />
      </span>
    </>
  );
}

/** Renders a link to all changes of one request, also those on other pages. */
function RequestLink({ rows: [row] }: { rows: readonly ApiObject[] }): Html {
  const filter = new URLSearchParams({ show: "all", request_id__ie: String(row?.request_id) });
  return <a href={`/changes/?${filter}`}>Whole request</a>;
}

/** Number of changed fields that a row shows with their values; of others it shows only the names. */
const SHOWN_FIELDS = 1;

type Change = Parameters<typeof ChangedValues>[0]["change"];

/** Adds the names of the objects to which the shown values refer. */
async function withNames(call: Call, rows: readonly ApiObject[]): Promise<readonly ApiObject[]> {
  const recorded = rows.filter(({ prechange_data: before }) => before !== undefined).map((row) => ({
    resource: resourceOf(String(row.changed_object_type)),
    snapshots: changedParts(row as unknown as Change, SHOWN_FIELDS),
  }));
  const names = await loadRelatedNames(call, recorded);
  return rows.map((row) => ({ ...row, names }));
}

/** The page of one change is a separate module. */
export const changeView: View = {
  resource: objectChanges,
  heading: "Change log",
  nameLabel: "Object",
  columns: ["action", "time", "postchange_data", "user_name", "changed_object_type"],
  cells: {
    postchange_data: {
      label: "Changes",
      needs: ["prechange_data", "changed_object_type"],
      cell: (row) => (
        <ChangedValues
          change={row as unknown as Change}
          resource={resourceOf(String(row.changed_object_type))}
          most={SHOWN_FIELDS}
          names={row.names as RelatedNames}
        />
      ),
    },
  },
  withMore: withNames,
  // Probes and jobs of the service write most of the log, so that changes by users would be hard to find.
  tabs: [["By users", { user_id__n: "null" }]],
  opensFirstTab: true,
  // A request can change many objects.
  groups: {
    needs: ["request_id", "user_name", "time"],
    key: ({ request_id }) => String(request_id),
    head: (rows) => <RequestHead rows={rows} />,
    links: (rows) => <RequestLink rows={rows} />,
  },
  filters: ["action", "changed_object_type", "user_id", "time__gte", "time__lt"],
  options: { changed_object_type: () => OBJECT_TYPES.map((type) => [type, typeLabel(type)] as const) },
  title: { needs: ["object_repr"], of: ({ object_repr: name }) => recordedName(String(name)) },
  empty: "No changes yet.",
};

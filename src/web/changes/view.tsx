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

/** Returns the name of an object without what the other columns say: its type as the API has it, and its expiry. */
export function recordedName(name: string): string {
  const [, type, id] = /^([a-z]+\.[a-z]+) (\d+)$/.exec(name) ?? [];
  return type === undefined ? name.replace(/ \(expires: [^()]*\)$/, "") : `${typeLabel(type)} ${id}`;
}

/** Renders who made the changes of one request, when, and how many this page shows. */
function RequestHead({ rows }: { rows: readonly ApiObject[] }): Html {
  const [{ user_name: user, time, request_id: id }] = rows as readonly [ApiObject];
  return (
    <>
      <bdi>{user === "" ? "the service" : String(user)}</bdi>, <Time at={String(time)} />:{" "}
      <a href={`/changes/?${new URLSearchParams({ request_id__ie: String(id) })}`}>
        {rows.length} changes in one request
      </a>
    </>
  );
}

/** Changed fields that a row shows with their values; it names the others. */
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
  // Probes and jobs of the service write most of the log.
  tabs: [["By users", { user_id__n: "null" }]],
  // One request can change many objects.
  groups: {
    needs: ["request_id", "user_name", "time"],
    key: ({ request_id }) => String(request_id),
    head: (rows) => <RequestHead rows={rows} />,
  },
  filters: ["action", "changed_object_type", "user_id", "time__gte", "time__lt"],
  options: { changed_object_type: () => OBJECT_TYPES.map((type) => [type, typeLabel(type)] as const) },
  title: { needs: ["object_repr"], of: ({ object_repr: name }) => recordedName(String(name)) },
  empty: "No changes yet.",
};

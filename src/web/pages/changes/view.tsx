/** View of the change log. */

import {
  changedFields,
  changedParts,
  CONNECTED,
  connectedNames,
  defineView,
  loadRelatedNames,
  recordedName,
  recordedValue,
  type RelatedNames,
  withoutExpiry,
  withTargets,
} from "../../kit/mod.ts";
import { OBJECT_TYPES } from "../../../auth/mod.ts";
import { type ObjectChange, objectChanges } from "../../../domain/system/object_changes/resource.ts";
import { notificationDeliveries } from "../../../domain/notices/mod.ts";
import { resourceOf } from "../../../domain/registry.ts";
import { type Html } from "../../kit/components/mod.ts";
import { labelOf } from "../../messages.ts";
import { objectPath } from "../../paths.ts";
import { typeLabel } from "../../type_label.ts";

/** A row of the list. */
type Change = ObjectChange & { readonly names?: RelatedNames };

/** Maximum characters of a value in the list. */
const VALUE_CHARS = 40;

/** Renders the first changed field with its values, and the names of the others: "Status: active → replaced". */
function FirstChange({ change }: { change: Change }): Html | null {
  const [name, ...others] = changedFields(change);
  if (name === undefined) return null;
  const { prechange_data: before, postchange_data: after, names = new Map() } = change;
  if (name === "owner_told") {
    return (
      <div class="changed">
        Owner notified: <a href={objectPath(notificationDeliveries, Number(after?.[name]))}>message</a>
      </div>
    );
  }
  const shown = { resource: resourceOf(change.changed_object_type), name, names, most: VALUE_CHARS };
  return (
    <div class="changed">
      {labelOf(name)}: <span class="faint">{recordedValue(before?.[name], shown)}</span> →{" "}
      {recordedValue(after?.[name], shown)} {others.length === 0
        ? null
        : <span class="faint">· and {others.map((one) => labelOf(one)).join(", ")}</span>}
    </div>
  );
}

/** The page of one change is a separate module. */
export const changeView = defineView<Change>({
  resource: objectChanges,
  name: {
    label: "Object",
    needs: ["object_repr", "changed_object_id"],
    of: (row) => {
      // A row may have space for one name only: that in which assignments differ.
      const connected = connectedNames(row, row.names);
      return connected === undefined
        ? withoutExpiry(row.object_repr)
        : `${connected.second} · ${connected.first}`;
    },
  },
  columns: [
    "action",
    "time",
    {
      name: "postchange_data",
      label: "Changes",
      cell: (row) => <FirstChange change={row} />,
      layout: ["p3", "folds", "wide-share"],
    },
    { name: "user_name", layout: ["p3", "folds", "share"] },
    "changed_object_type",
  ],
  // The names of the objects to which the shown values and the names of assignments refer.
  withMore: async (call, given) => {
    const rows = given.map((row) => withTargets(row, resourceOf(row.changed_object_type)));
    const recorded = rows.map((row) => ({
      resource: resourceOf(row.changed_object_type),
      snapshots: row.changed_object_type in CONNECTED
        ? [row.prechange_data, row.postchange_data]
        : changedParts(row, 1),
    }));
    const names = await loadRelatedNames(call, recorded);
    return rows.map((row) => ({ ...row, names }));
  },
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
});

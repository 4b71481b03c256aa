/** The last changes of an object. */

import { isGranted } from "../../auth/mod.ts";
import { objectChanges } from "../../domain/system/object_changes/mod.ts";
import type { Resource } from "../../resource/mod.ts";
import type { Call } from "../call.ts";
import { Badge, type Content, type Html, Table, Time, toneOf } from "../components/mod.ts";
import { labelOf } from "../messages.ts";
import { listPath } from "../paths.ts";
import { readRows } from "./listing.ts";
import { loadRelatedNames, recordedValue, type RelatedNames } from "./recorded_value.tsx";

/** Changes that an object's page shows. */
const SHOWN_CHANGES = 10;

interface Change {
  readonly id: number;
  readonly time: string;
  readonly user_name: string;
  readonly action: { readonly value: string };
  readonly prechange_data: Record<string, unknown> | null;
  readonly postchange_data: Record<string, unknown> | null;
}

/** What a change has recorded. */
type Snapshots = Pick<Change, "prechange_data" | "postchange_data">;

/** What actions are called in the past tense. */
const DONE: Readonly<Record<string, string>> = { create: "Created", update: "Updated", delete: "Deleted" };

/** Returns what a change did: "Updated" for `update`. */
export function actionText(action: string): string {
  return DONE[action] ?? action;
}

/** Renders what a change did. */
export function ActionBadge({ action }: { action: string }): Html {
  return <Badge value={actionText(action)} tone={toneOf(action)} />;
}

/** Reads and renders the last changes; nothing if the user may not view the change log. */
export async function historySection(call: Call, resource: Resource, id: number): Promise<Html | null> {
  if (!isGranted(call.ctx, "view", objectChanges.objectType)) return null;
  const where = { changed_object_type: resource.objectType, changed_object_id: String(id) };
  const params = { ...where, limit: SHOWN_CHANGES, ordering: "-id" };
  const { rows: changes, count } = await readRows<Change>(call, objectChanges, { params });
  if (changes.length === 0) return null;
  // Only changed values are shown.
  const names = await loadRelatedNames(call, [
    { resource, snapshots: changes.flatMap((change) => changedParts(change)) },
  ]);
  return (
    <section aria-labelledby="history">
      <h2 id="history">History</h2>
      <Table
        caption="History"
        rows={changes}
        columns={[
          {
            label: "Time",
            cell: (row) => (
              <a href={`${listPath(objectChanges)}${row.id}/`}>
                <Time at={row.time} />
              </a>
            ),
          },
          { label: "User", cell: (row) => row.user_name },
          { label: "Action", cell: (row) => <ActionBadge action={row.action.value} /> },
          {
            label: "Changes",
            cell: (row) => <ChangedValues change={row} resource={resource} names={names} />,
            priority: 2,
          },
        ]}
      />
      {count > changes.length
        ? (
          <p>
            <a href={`${listPath(objectChanges)}?${new URLSearchParams(where)}`}>View all {count} changes</a>
          </p>
        )
        : null}
    </section>
  );
}

/** Changed fields that a line of the history shows with their values; it names the others. */
const SHOWN_FIELDS = 4;
/** Characters of a value in the history. */
const VALUE_CHARS = 40;

/** What an update changed, as `status: active → replaced`. */
export function ChangedValues(
  { change, resource, most = SHOWN_FIELDS, names: related }: {
    change: Snapshots;
    resource: Resource | undefined;
    /** Fields that are shown with their values. */
    most?: number;
    /** Names of related objects; the ids of others are shown. */
    names?: RelatedNames;
  },
): Html {
  const names = changedFields(change);
  const shown = (value: unknown, name: string): Content =>
    recordedValue(value, {
      resource,
      name,
      most: VALUE_CHARS,
      ...(related === undefined ? {} : { names: related }),
    });
  const others = names.slice(most);
  return (
    <div class="changed">
      {names.slice(0, most).map((name) => (
        <div>
          {labelOf(name)}:{" "}
          <span class="faint">
            {shown(change.prechange_data?.[name], name)}
          </span>{" "}
          → {shown(change.postchange_data?.[name], name)}
        </div>
      ))}
      {others.length === 0
        ? null
        : <div class="faint">and {others.map((name) => labelOf(name)).join(", ")}</div>}
    </div>
  );
}

/** Returns the first changed values of an update, before and after. */
export function changedParts(change: Snapshots, most = Infinity): Record<string, unknown>[] {
  const names = changedFields(change).slice(0, most);
  return [change.prechange_data, change.postchange_data].map((data) =>
    Object.fromEntries(names.map((name) => [name, data?.[name]]))
  );
}

/** Returns the names of fields that an update changed. */
export function changedFields(
  { prechange_data: prechange, postchange_data: postchange }: Snapshots,
): string[] {
  if (prechange === null || postchange === null) return [];
  const names = new Set([...Object.keys(prechange), ...Object.keys(postchange)]);
  return [...names].filter((name) =>
    name !== "last_updated" && JSON.stringify(prechange[name]) !== JSON.stringify(postchange[name])
  );
}

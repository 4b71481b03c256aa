/** What has happened to an object, from the change log. */

import { isGranted } from "../../auth/mod.ts";
import { objectChanges } from "../../domain/system/object_changes/mod.ts";
import type { Resource } from "../../resource/mod.ts";
import type { Call } from "../call.ts";
import { Badge, type Html, Table, Time } from "../components/mod.ts";
import { listPath } from "../paths.ts";
import { readRows } from "./listing.ts";

/** Changes that an object's page shows. */
const SHOWN_CHANGES = 10;

interface Change {
  readonly id: number;
  readonly time: string;
  readonly username: string;
  readonly action: string;
  readonly prechange: Record<string, unknown> | null;
  readonly postchange: Record<string, unknown> | null;
}

/** The last changes of an object; nothing where the user may not see the log. */
export async function historySection(call: Call, resource: Resource, id: number): Promise<Html | null> {
  if (!isGranted(call.ctx, "view", objectChanges.objectType)) return null;
  const where = { object_type: resource.objectType, object_id: String(id) };
  const params = { ...where, limit: SHOWN_CHANGES, ordering: "-id" };
  const { rows: changes, count } = await readRows<Change>(call, objectChanges, { params });
  if (changes.length === 0) return null;
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
          { label: "User", cell: (row) => row.username },
          { label: "Action", cell: (row) => <Badge value={row.action} /> },
          { label: "Changed fields", cell: (row) => changedFields(row).join(", "), wide: true },
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

/** Names of the fields that an update changed. */
export function changedFields({ prechange, postchange }: Pick<Change, "prechange" | "postchange">): string[] {
  if (prechange === null || postchange === null) return [];
  const names = new Set([...Object.keys(prechange), ...Object.keys(postchange)]);
  return [...names].filter((name) =>
    name !== "last_updated" && JSON.stringify(prechange[name]) !== JSON.stringify(postchange[name])
  );
}

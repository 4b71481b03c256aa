/** The change log with the snapshots as texts, as they were recorded. */

import { sql } from "drizzle-orm";
import { readSnapshots, type Snapshot, SNAPSHOTS } from "../../src/changes/mod.ts";
import type { Reader, Row } from "../../src/db/mod.ts";

/** Number of records that are read at once, because a server limits the size of its responses. */
const BATCH = 1_000;

/** Returns the change records, oldest first. */
export async function changeLog(database: Reader): Promise<ChangeRecord[]> {
  const records: ChangeRecord[] = [];
  while (true) {
    const rows = await database.all<ChangeRecord & { snapshots: string }>(
      sql`SELECT id, username, action, object_type, object_id, message, ${SNAPSHOTS} AS snapshots
        FROM object_changes WHERE id > ${records.at(-1)?.id ?? 0} ORDER BY id LIMIT ${BATCH}`,
    );
    records.push(...rows.map(({ snapshots, ...row }): ChangeRecord => {
      const { prechange, postchange } = readSnapshots(snapshots);
      return { ...row, prechange: textOf(prechange), postchange: textOf(postchange) };
    }));
    if (rows.length < BATCH) return records;
  }
}

function textOf(snapshot: Snapshot | null): string | null {
  return snapshot === null ? null : JSON.stringify(snapshot);
}

export interface ChangeRecord extends Row {
  readonly id: number;
  readonly username: string;
  readonly action: string;
  readonly object_type: string;
  readonly object_id: number;
  readonly prechange: string | null;
  readonly postchange: string | null;
  readonly message: string;
}

/** Returns the status of an object before and after a change. */
export function statusesOf(
  { prechange, postchange }: ChangeRecord,
): { before: unknown; after: unknown } {
  const [before, after] = [prechange, postchange].map((text) => JSON.parse(text ?? "{}").status);
  return { before, after };
}

/** Fields of a change. */

import type { Resource } from "../../../resource/mod.ts";
import { type Column, type Html, Table } from "../../kit/components/mod.ts";
import { labelOf } from "../../messages.ts";
import { changedFields, isNothing, recordedValue, type RelatedNames } from "../../kit/mod.ts";

type Snapshot = Readonly<Record<string, unknown>> | null;

/** Returns the names of changed and unchanged fields. */
export function splitFields(
  { prechange_data: prechange, postchange_data: postchange }: {
    prechange_data: Snapshot;
    postchange_data: Snapshot;
  },
): { changed: string[]; rest: string[] } {
  const all = [...new Set([...Object.keys(prechange ?? {}), ...Object.keys(postchange ?? {})])];
  const changed = new Set(
    prechange === null || postchange === null
      ? all.filter((name) => !isNothing((postchange ?? prechange)?.[name]))
      : changedFields({ prechange_data: prechange, postchange_data: postchange }),
  );
  return {
    changed: all.filter((name) => changed.has(name)),
    rest: all.filter((name) => !changed.has(name)),
  };
}

/** Renders values before and after; one column for creations and deletions. */
export function FieldTable(
  { caption, resource, names, before, after, related }: {
    caption: string;
    resource: Resource | undefined;
    names: readonly string[];
    before: Snapshot;
    after: Snapshot;
    related: RelatedNames;
  },
): Html {
  const side = (label: string, snapshot: Snapshot): Column<{ id: string }>[] =>
    snapshot === null
      ? []
      : [{ label, cell: ({ id }) => recordedValue(snapshot[id], { resource, name: id, names: related }) }];
  const columns = [
    { label: "Field", cell: ({ id }: { id: string }) => labelOf(id) },
    ...side("Before", before),
    ...side("After", after),
  ];
  return <Table caption={caption} columns={columns} rows={names.map((id) => ({ id }))} stacked />;
}

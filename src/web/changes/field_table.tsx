/** Fields of a change. */

import { type Column, type Content, type Html, Table } from "../components/mod.ts";
import { labelOf } from "../messages.ts";
import { changedFields, Text } from "../objects/mod.ts";

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
      ? all.filter((name) => !isEmpty((postchange ?? prechange)?.[name]))
      : changedFields({ prechange_data: prechange, postchange_data: postchange }),
  );
  return {
    changed: all.filter((name) => changed.has(name)),
    rest: all.filter((name) => !changed.has(name)),
  };
}

function isEmpty(value: unknown): boolean {
  return value === null || value === undefined || value === "" ||
    typeof value === "object" && Object.keys(value).length === 0;
}

/** Renders values before and after; one column for creations and deletions. */
export function FieldTable(
  { caption, names, before, after }: {
    caption: string;
    names: readonly string[];
    before: Snapshot;
    after: Snapshot;
  },
): Html {
  const side = (label: string, snapshot: Snapshot): Column<{ id: string }>[] =>
    snapshot === null ? [] : [{ label, cell: ({ id }) => valueOf(snapshot[id]) }];
  const columns = [
    { label: "Field", cell: ({ id }: { id: string }) => labelOf(id) },
    ...side("Before", before),
    ...side("After", after),
  ];
  return <Table caption={caption} columns={columns} rows={names.map((id) => ({ id }))} />;
}

function valueOf(value: unknown): Content {
  if (isEmpty(value)) return <span class="faint">–</span>;
  if (typeof value === "string") return <Text text={value} />;
  if (Array.isArray(value) && value.every((one) => typeof one !== "object")) {
    return <Text text={value.join(", ")} />;
  }
  return typeof value === "object" ? <Text text={JSON.stringify(value)} /> : String(value);
}

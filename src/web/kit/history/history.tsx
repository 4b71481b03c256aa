/** The last changes of an object. */

import { isGranted } from "../../../auth/mod.ts";
import { type ObjectChange, objectChanges } from "../../../domain/system/object_changes/mod.ts";
import type { Brief, Resource } from "../../../resource/mod.ts";
import type { Call } from "../../call.ts";
import { Badge, type Content, type Html, Joined, Table, Time, toneOf } from "../components/mod.ts";
import { labelOf } from "../../messages.ts";
import { listPath } from "../../paths.ts";
import { changedFields, changeSentences, type Snapshots } from "./change_sentences.tsx";
import { contactChanges } from "./contact_changes.tsx";
import { readRows } from "../list/read_list.ts";
import { loadRelatedNames, recordedValue, type RelatedNames, withTargets } from "./recorded_value.tsx";
import { ObjectLink } from "../detail/value.tsx";

/** Number of changes that are read for an object's page, and of lines that it shows. */
const READ_CHANGES = 30;
const SHOWN_ENTRIES = 10;
/** Characters of a time up to its minute. */
const MINUTE_CHARS = 16;
/** The user name of changes by the service itself. */
const SYSTEM = "system";

/** Actions in the past tense. */
const DONE: Readonly<Record<string, string>> = { create: "Created", update: "Updated", delete: "Deleted" };

/** Returns the action of a change in the past tense: "Updated" for `update`. */
export function actionText(action: string): string {
  return DONE[action] ?? action;
}

/** Renders the action of a change. */
export function ActionBadge({ action }: { action: string }): Html {
  return <Badge value={actionText(action)} tone={toneOf(action)} />;
}

/** The meaning of another object's change for an object: "Replaced www.example.org". */
export type RelatedChange = ObjectChange & {
  readonly text: Content;
};

/** One line of the history: all changes of a request. */
interface Entry extends Pick<ObjectChange, "id" | "time" | "user_name" | "request_id"> {
  readonly sentences: readonly Content[];
  /** Whether the service itself made it: a probe, a validation, a job. */
  readonly isAutomatic: boolean;
  /** Earlier entries of the same kind, which are collapsed under it. */
  readonly earlier: readonly Entry[];
}

/** Reads and renders the last changes in sentences; nothing if the user may not view the change log. */
export async function historySection(
  call: Call,
  resource: Resource,
  {
    id,
    predecessors = [],
    where = { changed_object_type: resource.objectType, changed_object_id: String(id) },
  }: {
    id: number;
    /** Objects that it has replaced. */
    predecessors?: readonly Brief[];
    /** Selects the changes: those of the object, of objects that it replaced, and of contacts. */
    where?: Readonly<Record<string, string>>;
  },
): Promise<Html | null> {
  if (!isGranted(call.ctx, "view", objectChanges.objectType)) return null;
  const params = { ...where, limit: READ_CHANGES, ordering: "-id" };
  const { rows, count } = await readRows(call.ctx, objectChanges, { params });
  if (rows.length === 0) return null;
  const [same = [], others = []] = [true, false].map((same) =>
    rows.filter((row) => (row.changed_object_type === resource.objectType) === same)
  );
  const changes = same.filter((row) => row.changed_object_id === id).map((row) => withTargets(row, resource));
  // Only changed values are needed.
  const names = await loadRelatedNames(call, [
    { resource, snapshots: changes.flatMap((change) => changedParts(change)) },
  ]);
  const replaced = same.flatMap((row): RelatedChange[] => {
    const brief = predecessors.find((one) => one.id === row.changed_object_id);
    return brief === undefined ? [] : [{
      ...row,
      text: (
        <>
          Replaced <ObjectLink brief={brief} />
        </>
      ),
    }];
  });
  const all = [...replaced, ...await contactChanges(call, others, { resource, id })];
  const entries = collapsed(entriesOf(changes, all, { resource, names })).slice(0, SHOWN_ENTRIES);
  return (
    <section aria-labelledby="history">
      <h2 id="history">History</h2>
      <Table
        caption="History"
        rows={entries}
        columns={[
          { label: "Time", cell: (entry) => <EntryTime entry={entry} /> },
          {
            label: "User",
            cell: (entry) => entry.user_name,
            layout: ["p2"],
            under: (entry) => entry.user_name,
          },
          { label: "What happened", cell: (entry) => <Sentences entry={entry} /> },
        ]}
      />
      {count > rows.length || entries.length === SHOWN_ENTRIES
        ? (
          <p>
            <a href={`${listPath(objectChanges)}?${new URLSearchParams(where)}`}>View all {count} changes</a>
          </p>
        )
        : null}
    </section>
  );
}

/** Returns the entries, the latest request first, each with its changes in order. */
function entriesOf(
  changes: readonly ObjectChange[],
  related: readonly RelatedChange[],
  shown: Parameters<typeof changeSentences>[1],
): Entry[] {
  const parts = [
    ...changes.map((change) => ({
      ...change,
      sentences: changeSentences(change, shown),
      isAutomatic: change.user_name === SYSTEM && change.action.value === "update",
    })),
    ...related.map((one) => ({ ...one, sentences: [one.text], isAutomatic: false })),
  ].sort((one, other) => other.id - one.id);
  // The changes of a request have the same time.
  const keyOf = (part: typeof parts[number]): string =>
    [part.request_id || part.id, part.user_name, part.time.slice(0, MINUTE_CHARS)].join(" ");
  const byRequest = Map.groupBy(parts, keyOf);
  return [...byRequest.values()].map((own) => {
    const [latest] = own as [typeof parts[number]];
    return {
      ...latest,
      sentences: own.toReversed().flatMap(({ sentences }) => sentences),
      isAutomatic: own.every((one) => one.isAutomatic),
      earlier: [],
    };
  }).filter(({ sentences }) => sentences.length > 0);
}

/** Joins consecutive automatic entries. */
function collapsed(entries: readonly Entry[]): Entry[] {
  const lines: Entry[] = [];
  for (const entry of entries) {
    const last = lines.at(-1);
    if (last?.isAutomatic && entry.isAutomatic) {
      lines[lines.length - 1] = { ...last, earlier: [...last.earlier, entry] };
    } else lines.push(entry);
  }
  return lines;
}

function EntryTime({ entry: { id, time } }: { entry: Entry }): Html {
  return (
    <a href={`${listPath(objectChanges)}${id}/`}>
      <Time at={time} />
    </a>
  );
}

function Sentences({ entry: { sentences, earlier } }: { entry: Entry }): Html {
  return (
    <div class="changed">
      {sentences.map((sentence) => <div>{sentence}</div>)}
      {earlier.length === 0 ? null : (
        <details>
          <summary>
            {earlier.length === 1
              ? "1 earlier automatic change"
              : `${earlier.length} earlier automatic changes`}
          </summary>
          {earlier.map((entry) => (
            <div>
              <EntryTime entry={entry} />: <Joined items={entry.sentences} separator="; " />
            </div>
          ))}
        </details>
      )}
    </div>
  );
}

/** Number of changed fields that a line of the history shows with their values; of others it shows only the names. */
const SHOWN_FIELDS = 4;
/** Maximum characters of a value in the history. */
const VALUE_CHARS = 40;

/** Renders the changes of an update, as `status: active → replaced`. */
export function ChangedValues(
  { change, resource, most = SHOWN_FIELDS, names: related }: {
    change: Snapshots;
    resource: Resource | undefined;
    /** Number of fields that are shown with their values. */
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

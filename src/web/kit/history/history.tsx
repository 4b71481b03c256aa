/** The last changes of an object. */

import type { Snapshot } from "../../../changes/mod.ts";
import { isGranted } from "../../../auth/mod.ts";
import { type ObjectChange, objectChanges } from "../../../domain/system/object_changes/resource.ts";
import { resourceOf } from "../../../domain/registry.ts";
import type { Resource } from "../../../resource/mod.ts";
import type { Call } from "../../call.ts";
import { Badge, type Content, type Html, Joined, Table, Time, toneOf } from "../components/mod.ts";
import { listPath } from "../../paths.ts";
import { changedFields, changeSentences, type Snapshots } from "./change_sentences.tsx";
import { connectionSentence, namedParts } from "./recorded_name.ts";
import { readRows } from "../list/read_list.ts";
import { loadRelatedNames, withTargets } from "./recorded_value.tsx";

/** Number of changes that are read for an object's page, and of lines that it shows. */
const READ_CHANGES = 30;
const SHOWN_ENTRIES = 10;
/** Characters of a time up to its minute. */
const MINUTE_CHARS = 16;
/** The type of objects whose history has the changes of others. */
const CERTIFICATE = "certmgr.certificate";
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
  id: number,
): Promise<Html | null> {
  if (!isGranted(call.ctx, "view", objectChanges.objectType)) return null;
  const where: Readonly<Record<string, string>> = resource.objectType === CERTIFICATE
    ? { history_of_certificate: String(id) }
    : { changed_object_type: resource.objectType, changed_object_id: String(id) };
  const params = { ...where, limit: READ_CHANGES, ordering: "-id" };
  const { rows, count } = await readRows(call.ctx, objectChanges, { params });
  if (rows.length === 0) return null;
  const changes = rows.map((row) => withTargets(row, resourceOf(row.changed_object_type)));
  // Only changed values are needed, and the names of what assignments connect.
  const isOwn = ({ changed_object_type: type }: ObjectChange): boolean => type === resource.objectType;
  const names = await loadRelatedNames(call, [
    { resource, snapshots: changes.filter(isOwn).flatMap((change) => changedParts(change)) },
    ...changes.filter((change) => !isOwn(change)).map((change) => ({
      resource: resourceOf(change.changed_object_type),
      snapshots: namedParts(change),
    })),
  ]);
  const entries = collapsed(entriesOf(changes, { resource, names })).slice(0, SHOWN_ENTRIES);
  return (
    <section aria-labelledby="history">
      <h2 id="history">History</h2>
      <Table
        caption="History"
        rows={entries}
        columns={[
          { label: "Time", cell: (entry) => <EntryTime entry={entry} /> },
          { label: "User", cell: (entry) => entry.user_name, layout: ["p2", "folds"] },
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
  shown: Parameters<typeof changeSentences>[1],
): Entry[] {
  const parts = changes.map((change) => ({
    ...change,
    sentences: change.changed_object_type === shown.resource?.objectType
      ? changeSentences(change, shown)
      : [connectionSentence(change, shown.names)].filter((sentence) => sentence !== undefined),
    isAutomatic: change.user_name === SYSTEM && change.action.value === "update",
  }));
  // The changes of a request have the same time.
  const keyOf = (part: typeof parts[number]): string =>
    [part.request_id || part.id, part.user_name, part.time.slice(0, MINUTE_CHARS)].join(" ");
  const byRequest = Map.groupBy(parts, keyOf);
  return [...byRequest.values()].flatMap((own) => {
    const [latest] = own;
    return latest === undefined ? [] : [{
      ...latest,
      sentences: own.toReversed().flatMap(({ sentences }) => sentences),
      isAutomatic: own.every((one) => one.isAutomatic),
      earlier: [],
    }];
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

/** Returns the first changed values of an update, before and after. */
export function changedParts(change: Snapshots, most = Infinity): Snapshot[] {
  const names = changedFields(change).slice(0, most);
  return [change.prechange_data, change.postchange_data].map((data) =>
    Object.fromEntries(names.map((name) => [name, data?.[name]]))
  );
}

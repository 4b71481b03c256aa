/** The page of one change: user, time, and values before and after. */

import type { Snapshot } from "../../../changes/mod.ts";
import { isGranted } from "../../../auth/mod.ts";
import { type ObjectChange, objectChanges } from "../../../domain/system/object_changes/resource.ts";
import { resourceOf } from "../../../domain/registry.ts";
import { ALL_FIELDS, getObject, type Resource } from "../../../resource/mod.ts";
import { type Call, idOf, type Route } from "../../call.ts";
import { counted } from "../../../base/amounts.ts";
import {
  type Column,
  type Html,
  isolate,
  Property,
  PropertyList,
  Table,
  Time,
  truncate,
} from "../../kit/components/mod.ts";
import {
  ActionBadge,
  actionText,
  changedFields,
  countRows,
  isNothing,
  loadRelatedNames,
  ObjectLink,
  recordedName,
  recordedValue,
  type RelatedNames,
  type Snapshots,
  Text,
  viewRoutes,
  withTargets,
} from "../../kit/mod.ts";
import { objectPath } from "../../paths.ts";
import { page } from "../../shell/mod.ts";
import { typeLabel } from "../../type_label.ts";
import { logExport, logList } from "./log_export.tsx";
import { changeView } from "./view.tsx";
import { labelOf } from "../../messages.ts";

type Change = Snapshots & ObjectChange;

async function changePage(call: Call): Promise<Response> {
  const { object } = await getObject({
    ctx: call.ctx,
    resource: objectChanges,
    id: idOf(call),
    selection: ALL_FIELDS,
  });
  const resource = resourceOf(object.changed_object_type);
  const change = withTargets(object, resource);
  // Whether the object still exists and the user may view it.
  const exists = resource !== undefined && isGranted(call.ctx, "view", resource.objectType) &&
    await countRows(call, resource, { id: change.changed_object_id }) > 0;
  const { changed, rest } = splitFields(change);
  const snapshots = [change.prechange_data, change.postchange_data];
  const related = await loadRelatedNames(call, [{ resource, snapshots }]);
  const name = recordedName(change, related);
  return page(
    call,
    {
      title: `${isolate(truncate(name))} was ${actionText(change.action.value).toLowerCase()}`,
      above: [["Change log", "/changes/"]],
    },
    <>
      <div class="card">
        <ChangeProperties change={change} name={name} resource={exists ? resource : undefined} />
      </div>
      <section aria-labelledby="fields">
        <h2 id="fields">{counted(changed.length, "field")}</h2>
        {changed.length === 0 ? <p class="faint">No recorded fields.</p> : (
          <FieldTable
            caption="Changed fields"
            resource={resource}
            names={changed}
            before={change.prechange_data}
            after={change.postchange_data}
            related={related}
          />
        )}
        {rest.length === 0 ? null : (
          <details class="box">
            <summary>Unchanged and empty fields ({rest.length})</summary>
            <FieldTable
              caption="Other fields"
              resource={resource}
              names={rest}
              before={change.prechange_data}
              after={change.postchange_data}
              related={related}
            />
          </details>
        )}
      </section>
    </>,
  );
}

function ChangeProperties(
  { change, name, resource }: {
    change: Change;
    /** The name of the object. */
    name: string;
    /** Its resource, if it still exists and the user may view it. */
    resource: Resource | undefined;
  },
): Html {
  const { changed_object_type, changed_object_id, request_id, message } = change;
  const of = { changed_object_type, changed_object_id: String(changed_object_id) };
  return (
    <PropertyList>
      <Property name="Time">
        <Time at={change.time} />
      </Property>
      <Property name="User">
        {change.user === null
          ? <bdi>{change.user_name === "" ? "the service" : change.user_name}</bdi>
          : <ObjectLink brief={change.user} />}
      </Property>
      <Property name="Action">
        <ActionBadge action={change.action.value} />
      </Property>
      <Property name="Object">
        {typeLabel(changed_object_type)}{" "}
        {resource === undefined ? <Text text={name} /> : (
          <a href={objectPath(resource, changed_object_id)}>
            <bdi>{truncate(name)}</bdi>
          </a>
        )}
      </Property>
      {message === "" ? null : (
        <Property name="Message">
          <Text text={message} />
        </Property>
      )}
      <Property name="History">
        <a href={`/changes/?${new URLSearchParams(of)}`}>
          All changes to this {typeLabel(changed_object_type)}
        </a>
      </Property>
      <Property
        name="Made together"
        help={`One action can change several objects. Request ID: ${request_id}`}
      >
        <a href={`/changes/?${new URLSearchParams({ request_id__ie: request_id })}`}>
          All changes made at once
        </a>
      </Property>
    </PropertyList>
  );
}

/** Returns the names of changed and unchanged fields. */
function splitFields(
  { prechange_data: prechange, postchange_data: postchange }: {
    prechange_data: Snapshot | null;
    postchange_data: Snapshot | null;
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
function FieldTable(
  { caption, resource, names, before, after, related }: {
    caption: string;
    resource: Resource | undefined;
    names: readonly string[];
    before: Snapshot | null;
    after: Snapshot | null;
    related: RelatedNames;
  },
): Html {
  const side = (label: string, snapshot: Snapshot | null): Column<{ id: string }>[] =>
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

export const changeRoutes: readonly Route[] = [
  ...viewRoutes(changeView, { detail: changePage, list: logList }),
  logExport(objectChanges),
];

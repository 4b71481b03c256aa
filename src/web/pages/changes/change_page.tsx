/** The page of one change: user, time, and values before and after. */

import { isGranted } from "../../../auth/mod.ts";
import { objectChanges } from "../../../domain/system/object_changes/mod.ts";
import { resourceOf } from "../../../domain/registry.ts";
import { ALL_FIELDS, getObject } from "../../../resource/mod.ts";
import { type Call, idOf } from "../../call.ts";
import { counted } from "../../../base/amounts.ts";
import {
  type Content,
  type Html,
  isolate,
  Property,
  PropertyList,
  Time,
  truncate,
} from "../../kit/components/mod.ts";
import {
  ActionBadge,
  actionText,
  loadRelatedNames,
  ObjectLink,
  readRows,
  Text,
  withTargets,
} from "../../kit/mod.ts";
import { objectPath } from "../../paths.ts";
import { page } from "../../shell/mod.ts";
import { typeLabel } from "../../type_label.ts";
import { recordedName, TOGETHER } from "./view.tsx";
import { FieldTable, splitFields } from "./field_table.tsx";

interface Change {
  readonly time: string;
  readonly user: unknown;
  readonly user_name: string;
  readonly request_id: string;
  readonly action: { readonly value: string };
  readonly changed_object_type: string;
  readonly changed_object_id: number;
  readonly object_repr: string;
  readonly message: string;
  readonly prechange_data: Readonly<Record<string, unknown>> | null;
  readonly postchange_data: Readonly<Record<string, unknown>> | null;
}

export async function changePage(call: Call): Promise<Response> {
  const { object } = await getObject({
    ctx: call.ctx,
    resource: objectChanges,
    id: idOf(call),
    selection: ALL_FIELDS,
  });
  const resource = resourceOf(object.changed_object_type);
  const change = withTargets(object as unknown as Change, resource);
  const exists = await isVisible(call, change);
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
        <ChangeProperties change={change} name={name} exists={exists} />
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
  { change, name, exists }: {
    change: Change;
    /** The name of the object. */
    name: string;
    exists: boolean;
  },
): Html {
  const { changed_object_type, changed_object_id, request_id, message } = change;
  const of = { changed_object_type, changed_object_id: String(changed_object_id) };
  return (
    <PropertyList>
      <Property name="Time">
        <Time at={change.time} />
      </Property>
      <Property name="User">{whoOf(change)}</Property>
      <Property name="Action">
        <ActionBadge action={change.action.value} />
      </Property>
      <Property name="Object">
        <ChangedObject change={change} name={name} exists={exists} />
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
          {TOGETHER}
        </a>
      </Property>
    </PropertyList>
  );
}

function whoOf({ user, user_name: username }: Change): Content {
  return user === null
    ? <bdi>{username === "" ? "the service" : username}</bdi>
    : <ObjectLink brief={user} />;
}

function ChangedObject({ change, name, exists }: { change: Change; name: string; exists: boolean }): Html {
  const { changed_object_type: type, changed_object_id: id } = change;
  const resource = resourceOf(type);
  const kind = typeLabel(type);
  return (
    <>
      {kind} {exists && resource !== undefined
        ? (
          <a href={objectPath(resource, id)}>
            <bdi>{truncate(name)}</bdi>
          </a>
        )
        : <Text text={name} />}
    </>
  );
}

/** Returns whether the object still exists and the user may view it; runs at most two statements. */
async function isVisible(
  call: Call,
  { changed_object_type: type, changed_object_id: id }: Change,
): Promise<boolean> {
  const resource = resourceOf(type);
  if (resource === undefined || !isGranted(call.ctx, "view", type)) return false;
  const { rows } = await readRows(call.ctx, resource, { params: { id, limit: 1 }, fields: ["id"] });
  return rows.length > 0;
}

/** The page of one object. */

import { ALL_FIELDS, CUSTOM_COLUMN, getObject } from "../../resource/mod.ts";
import { type Call, idOf } from "../call.ts";
import { type Content, Copyable, type Html, Icon, Property, PropertyList } from "../components/mod.ts";
import { labelOf } from "../messages.ts";
import { listPath, objectPath } from "../paths.ts";
import { page } from "../shell/mod.ts";
import { helpOf } from "./help.ts";
import { historySection } from "./history.tsx";
import { type PermittedActions, permittedActionsOn } from "./permitted_actions.ts";
import { CustomProperties, CustomSections, NoteSections } from "./notes.tsx";
import { displayValue } from "./value.tsx";
import { type ApiObject, objectTitle, titleOf, type View } from "./view.ts";

/** Renders properties, related lists and history of an object. */
export async function detailPage(call: Call, view: View): Promise<Response> {
  const { resource } = view;
  const { object } = await getObject({ ctx: call.ctx, resource, id: idOf(call), selection: ALL_FIELDS });
  const shown = object as ApiObject;
  const [actions, sections, history, permitted] = await Promise.all([
    view.actions?.(call, shown) ?? null,
    view.sections?.(call, shown) ?? null,
    historySection(call, resource, shown.id),
    permittedActionsOn(call, resource, shown.id),
  ]);
  const related = view.related?.(shown) ?? [];
  return page(
    call,
    {
      title: objectTitle(view, shown),
      above: [[titleOf(view), listPath(resource)]],
      actions: (
        <>
          {actions}
          <ObjectActions path={objectPath(resource, shown.id)} permitted={permitted} />
        </>
      ),
    },
    <>
      <FactSheet call={call} view={view} object={shown} />
      {related.length === 0 ? null : (
        <p class="actions">
          {related.map(([label, path]) => <a role="button" class="secondary" href={path}>{label}</a>)}
        </p>
      )}
      {sections as Content}
      {history}
    </>,
  );
}

/** Renders the buttons "Edit" and "Delete" that the user may use. */
export function ObjectActions({ path, permitted }: { path: string; permitted: PermittedActions }): Html {
  return (
    <>
      {permitted.change
        ? (
          <a role="button" class="secondary" href={`${path}edit/`}>
            <Icon name="edit" />Edit
          </a>
        )
        : null}
      {permitted.delete
        ? (
          <a role="button" class="secondary" href={`${path}delete/`}>
            <Icon name="trash" />Delete
          </a>
        )
        : null}
    </>
  );
}

function FactSheet({ call, view, object }: { call: Call; view: View; object: ApiObject }): Html {
  const { resource, unshown = [] } = view;
  const fields = Object.values(resource.fields).filter((field) =>
    !field.writeOnly && field.name !== "id" && !unshown.includes(field.name)
  );
  const folded = fields.filter((field) =>
    field.long && typeof object[field.name] === "string" && object[field.name] !== ""
  );
  return (
    <>
      <div class="card">
        <PropertyList>
          {fields.filter((field) => !field.long && !field.markdown && field.name !== CUSTOM_COLUMN).map((
            field,
          ) => (
            <Property name={labelOf(field.name)} help={helpOf(view, field)}>
              {displayValue(view, field, object[field.name])}
            </Property>
          ))}
          <CustomProperties call={call} resource={resource} object={object} />
        </PropertyList>
      </div>
      <CustomSections call={call} resource={resource} object={object} />
      <NoteSections resource={resource} object={object} />
      {folded.map((field) => (
        <details class="box">
          <summary>{labelOf(field.name)}</summary>
          <Copyable text={String(object[field.name])} label={labelOf(field.name)} />
        </details>
      ))}
    </>
  );
}

/** The page of one object. */

import { numberText } from "../../../base/amounts.ts";
import { isGranted } from "../../../auth/mod.ts";
import { resources } from "../../../domain/registry.ts";
import { ALL_FIELDS, CUSTOM_COLUMN, type Field, getObject, type Out } from "../../../resource/mod.ts";
import { type Call, idOf } from "../../call.ts";
import { type Content, Copyable, type Html, Icon, Property, PropertyList, Time } from "../components/mod.ts";
import { labelOf } from "../../messages.ts";
import { listPath, objectPath } from "../../paths.ts";
import { page } from "../../shell/mod.ts";
import { listTitle, typeLabel } from "../../type_label.ts";
import { type GenericReference, genericsOf } from "../reference/reference_text.ts";
import { helpOf } from "../form/help.ts";
import { historySection } from "../history/history.tsx";
import { countRows, type Params } from "../list/read_list.ts";
import { type PermittedActions, permittedActionsOn } from "./permitted_actions.ts";
import { CustomProperties, CustomSections, NoteSections } from "./notes.tsx";
import { membersIn, type Parts, partsOf } from "../form/parts.ts";
import { isNothing } from "../history/recorded_value.tsx";
import { displayValue, ObjectLink } from "./value.tsx";
import { type Fact, objectTitle, type RelatedList, type View } from "../view.ts";

/** Renders properties, related lists and history of an object. */
export async function detailPage(call: Call, view: View): Promise<Response> {
  const { resource } = view;
  const { object: shown } = await getObject({
    ctx: call.ctx,
    resource,
    id: idOf(call),
    selection: ALL_FIELDS,
  });
  const permitted = await permittedActionsOn(call, resource, shown.id);
  const slots = view.detail?.(call, shown, permitted) ?? {};
  const [actions, lead, facts, sections, history, related] = await Promise.all([
    slots.actions,
    slots.lead,
    slots.facts,
    slots.sections,
    historySection(call, resource, shown.id),
    Promise.all((slots.related ?? []).map((one) => countRelated(call, one))),
  ]);
  return page(
    call,
    {
      title: objectTitle(view, shown),
      above: [[listTitle(view.resource), listPath(resource)]],
      actions: (
        <>
          {actions}
          <ObjectActions path={objectPath(resource, shown.id)} permitted={permitted} />
        </>
      ),
    },
    <>
      <RelatedLinks related={related.filter((one) => one !== undefined)} />
      {lead}
      <FactSheet call={call} view={view} object={shown} facts={facts ?? []} without={slots.without ?? []} />
      {sections}
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

/** A link to a list of other objects, and the number that the user may view; undefined if it is not counted. */
interface RelatedCount {
  readonly label: string;
  readonly path: string;
  readonly count?: number;
}

/** Counts the objects of a link; undefined for lists that the user may not view. One statement. */
async function countRelated(call: Call, [label, path, add]: RelatedList): Promise<RelatedCount | undefined> {
  const { pathname, searchParams } = new URL(path, call.url);
  const resource = resources.find((one) => listPath(one) === pathname);
  if (resource === undefined) return { label, path };
  if (!isGranted(call.ctx, "view", resource.objectType)) return undefined;
  // Their list leaves out those that are not in use, and may have filters that are no longer valid.
  if (resource.objectType === CERTIFICATE) return { label, path };
  add?.(searchParams);
  const count = await countRows(call, resource, paramsOf(searchParams));
  return { label, path, count };
}

function paramsOf(search: URLSearchParams): Params {
  return Object.fromEntries([...search.keys()].map((name) => [name, search.getAll(name)]));
}

const CERTIFICATE = "certmgr.certificate";

function RelatedLinks({ related }: { related: readonly RelatedCount[] }): Html | null {
  if (related.length === 0) return null;
  return (
    <ul class="related" aria-label="Related lists">
      {related.map(({ label, path, count }) => (
        <li>
          <a href={path}>{label}</a>
          {count === undefined ? null : <span class="count">{` ${numberText(count)}`}</span>}
        </li>
      ))}
    </ul>
  );
}

function FactSheet(
  { call, view, object, facts, without }: {
    call: Call;
    view: View;
    object: Out;
    facts: readonly Fact[];
    /** Names of the fields that are not shown. */
    without: readonly string[];
  },
): Html {
  const { resource } = view;
  const generics = genericsOf(resource);
  // An object has its type next to its name.
  const parts = generics.flatMap(({ type, id }) => [type.name, id.name]);
  const fields = Object.values(resource.fields).filter((field) =>
    !field.writeOnly && field.name !== "id" && !without.includes(field.name) && !parts.includes(field.name)
  );
  const labels = new Map(
    view.columns.flatMap((one) =>
      typeof one === "string" || one.label === undefined ? [] : [[one.name, one.label]]
    ),
  );
  const nameOf = ({ name }: Field): string => labels.get(name) ?? labelOf(name);
  const content = (field: Field): Content => {
    const generic = generics.find(({ name }) => name === field.name);
    return generic === undefined
      ? displayValue(view, field, object[field.name])
      : <TargetLink type={String(object[generic.type.name])} object={object[field.name]} />;
  };
  const short = fields.filter((field) =>
    !field.long && !field.shown?.markdown && field.name !== CUSTOM_COLUMN && !TIMES.includes(field.name) &&
    // The title has this value.
    !(field.name === "name" && object.name === objectTitle(view, object))
  );
  const empty = short.filter(({ name }) => isUnset(object, generics, name));
  const filled = short.filter((field) => !empty.includes(field));
  const folded = fields.filter((field) =>
    field.long && typeof object[field.name] === "string" && object[field.name] !== ""
  );
  return (
    <>
      <div class="card">
        <PropertyList>
          {facts.filter(([, content]) => content !== null).map(([label, content]) => (
            <Property name={label}>{content}</Property>
          ))}
          {filled.map((field) =>
            field.name === view.parts?.field
              ? <Members view={view} object={object} parts={view.parts} />
              : (
                <Property name={nameOf(field)} help={helpOf(view, field)}>
                  {content(field)}
                </Property>
              )
          )}
          <CustomProperties call={call} resource={resource} object={object} />
        </PropertyList>
        <NotSet
          names={[
            ...facts.filter(([, content]) => content === null).map(([label]) => label),
            ...empty.map(nameOf),
          ]}
        />
        <Timestamps object={object} />
      </div>
      <CustomSections call={call} resource={resource} object={object} />
      <NoteSections resource={resource} object={object} />
      {folded.map((field) => (
        <details class="box">
          <summary>{field.shown?.label ?? labelOf(field.name)}</summary>
          <Copyable text={String(object[field.name])} label={field.shown?.label ?? labelOf(field.name)} />
        </details>
      ))}
    </>
  );
}

/** Renders each member of an object (`settings.url`) that has a value as a property. */
function Members({ view, object, parts }: { view: View; object: Out; parts: Parts }): Html {
  const values = membersIn(object[parts.field]);
  return (
    <>
      {partsOf(parts, String(object[parts.by])).filter(({ part }) => !isNothing(values[part])).map((
        field,
      ) => (
        <Property name={field.shown?.label ?? labelOf(field.part)} help={field.description}>
          {displayValue(view, field, values[field.part])}
        </Property>
      ))}
    </>
  );
}

/** Returns whether a field has no value; a reference has one even if the user may not view the object. */
function isUnset(object: Out, generics: readonly GenericReference[], name: string): boolean {
  const generic = generics.find((one) => one.name === name);
  return isNothing(object[generic?.type.name ?? name]);
}

/** Renders an object of one of several types: its type and its name. */
function TargetLink({ type, object }: { type: string; object: unknown }): Html {
  const label = typeLabel(type);
  if (object === null) return <>A {label} that you may not view</>;
  return (
    <>
      <ObjectLink brief={object} /> <span class="faint">{label}</span>
    </>
  );
}

/** Fields in the last line. */
const TIMES = ["created", "last_updated"];

/** Renders the names of the fields without a value. */
export function NotSet({ names }: { names: readonly string[] }): Html | null {
  return names.length === 0 ? null : <p class="small-print">Not set: {names.join(", ")}</p>;
}

/** Renders when an object was created and last changed. */
export function Timestamps(
  { object: { created, last_updated: updated } }: { object: Out },
): Html | null {
  if (typeof created !== "string") return null;
  return (
    <p class="small-print">
      Created <Time at={created} />
      {typeof updated !== "string" || updated === created ? null : (
        <>
          {" · updated "}
          <Time at={updated} />
        </>
      )}
    </p>
  );
}

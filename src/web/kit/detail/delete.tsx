/** Deletes one or several objects, after a confirmation. */

import { type AppErrorCode, forbidden } from "../../../base/errors.ts";
import {
  type Brief,
  countDependents,
  type CountedDependent,
  deleteObject,
  deleteObjects,
  type DeletionEffect,
  getObject,
  type Resource,
} from "../../../resource/mod.ts";
import { type Call, idOf } from "../../call.ts";
import { Form, type Html, isolate } from "../components/mod.ts";
import { capitalized, labelOf } from "../../messages.ts";
import { listPath, objectPath } from "../../paths.ts";
import { attempt, done, refused } from "../../responses.ts";
import { page } from "../../shell/mod.ts";
import { backOf, selectedIds } from "../list/tabs.tsx";
import { readColumns } from "../list/read_list.ts";
import { may } from "./permitted_actions.ts";
import { ObjectNames } from "./value.tsx";
import { BRIEF_FIELDS, nameFields, objectTitle, type View } from "../view.ts";
import { countedObjects, listTitle, nounOf, pluralOf } from "../../type_label.ts";

/** Error codes that are shown on the page. */
const REFUSALS: readonly AppErrorCode[] = ["conflict", "invalid", "forbidden"];

/** Asks for confirmation to delete an object. */
export async function deletePage(call: Call, view: View): Promise<Response> {
  const { resource } = view;
  if (!may(call, resource, "delete")) throw forbidden();
  const { object } = await getObject({
    ctx: call.ctx,
    resource,
    id: idOf(call),
    selection: { brief: false, omit: [], long: false, fields: nameFields(view) },
  });
  return await confirmationPage(call, view, [object]);
}

/** Asks for confirmation to delete objects, or says what prevents it. `back`: the list where they were selected. */
async function confirmationPage(
  call: Call,
  view: View,
  objects: readonly Brief[],
  back?: string,
): Promise<Response> {
  const { resource } = view;
  const ids = objects.map(({ id }) => id);
  const [name = ""] = objects.map((object) => objectTitle(view, object));
  const path = back ?? objectPath(resource, ids[0]);
  const found = await countDependents(call.ctx, resource, ids);
  const prevented = preventing(found).length > 0;
  const above = [[listTitle(view.resource), listPath(resource)] as const];
  const [titles, what] = back === undefined
    ? [[`${isolate(name)} cannot be deleted`, `Delete ${nounOf(resource)}`], null]
    : [
      [
        `${countedObjects(resource, ids.length)} cannot be deleted together`,
        `Delete ${countedObjects(resource, ids.length)}`,
      ],
      <ObjectNames objects={objects.map((object) => ({ ...object, display: objectTitle(view, object) }))} />,
    ];
  if (back === undefined) above.push([name, path]);
  if (prevented) {
    return page(
      call,
      { title: titles[0] ?? "", above },
      <div class="box">
        {what}
        <Prevented resource={resource} ids={ids} found={found} />
        <p class="form-actions">
          <a role="button" class="secondary" href={path}>Back</a>
        </p>
      </div>,
    );
  }
  return page(
    call,
    { title: `${titles[1]}?`, above },
    <div class="box">
      {what}
      <p>
        {back !== undefined ? "These objects will be permanently deleted, all or none." : (
          <>
            <strong>
              <bdi>{name}</bdi>
            </strong>{" "}
            will be permanently deleted.
          </>
        )} The change log keeps a copy of {back === undefined ? "its" : "their"} data.
      </p>
      <DeletionEffects call={call} resource={resource} ids={ids} found={found} />
      <Form
        call={call}
        action={`${back === undefined ? path : listPath(resource)}delete/`}
        class="form-actions"
      >
        {back === undefined ? null : (
          <>
            <input type="hidden" name="back" value={back} />
            <input type="hidden" name="ids" value={ids.join(",")} />
          </>
        )}
        <button type="submit" class="danger" name="confirmed" value="yes">{titles[1]}</button>
        <a href={path}>Cancel</a>
      </Form>
    </div>,
  );
}

/** Deletes an object; shows errors on its page. */
export async function deleteOne(call: Call, view: View): Promise<Response> {
  const { resource } = view;
  const id = idOf(call);
  if (!may(call, resource, "delete")) throw forbidden();
  return await attempt({ call, back: objectPath(resource, id), codes: REFUSALS }, async () => {
    await deleteObject({ ctx: call.ctx, resource, id });
    return done(call, listPath(resource), `${capitalized(nounOf(resource))} deleted.`);
  });
}

/** Asks for confirmation to delete the selected objects; deletes them after it. */
export async function deleteSelected(call: Call, view: View): Promise<Response> {
  const { resource } = view;
  if (!may(call, resource, "delete")) throw forbidden();
  const back = backOf(call, resource);
  return await attempt({ call, back, codes: REFUSALS }, async () => {
    const ids = await selectedIds(call, view);
    if (ids.length === 0) return refused(call, back, `Select at least one ${nounOf(resource)}.`);
    if (!call.form.has("confirmed")) {
      const { rows: objects } = await readColumns(call, resource, {
        params: { limit: 0, id: ids },
        fields: BRIEF_FIELDS,
        columns: nameFields(view),
      });
      return objects.length === 0
        ? refused(call, back, `The selected ${pluralOf(resource)} do not exist.`)
        : await confirmationPage(call, view, objects, back);
    }
    await deleteObjects({ ctx: call.ctx, resource, input: ids.map((id) => ({ id })) });
    return done(call, back, `${countedObjects(resource, ids.length)} deleted.`);
  });
}

const SENTENCES: Readonly<Record<Exclude<DeletionEffect, "restrict">, string>> = {
  delete: "Also deleted:",
  clear: "Also changed:",
};

/** Words for references whose labels are no nouns. */
const REFERENCES: Readonly<Record<string, string>> = { replaced_by: "successor" };

/** The objects that refer to chosen ones. */
interface Dependents {
  readonly resource: Resource;
  readonly ids: readonly number[];
  readonly found: readonly CountedDependent[];
}

/** Renders a list of visible objects for each effect; nothing if there are none. */
function DeletionEffects({ call, resource, ids, found }: Dependents & { call: Call }): Html | null {
  const shown = found.filter((one) => one.effect !== "clear" || !isRecord(one));
  const effects = (["delete", "clear"] as const).filter((effect) =>
    shown.some((one) => one.effect === effect)
  );
  if (effects.length === 0) return null;
  return (
    <>
      {effects.map((effect) => (
        <>
          <p>{SENTENCES[effect]}</p>
          <CountedKinds
            resource={resource}
            ids={ids}
            found={shown.filter((one) => one.effect === effect)}
            textOf={(one) => effect === "clear" ? lossText(one, resource) : ""}
          />
        </>
      ))}
      {call.ctx.actor.isSuperuser ? null : <p>Objects you may not view are not counted.</p>}
    </>
  );
}

/** Returns whether the service itself writes such objects (observations): losing a reference changes nothing for users. */
function isRecord({ resource: { methods } }: CountedDependent): boolean {
  return methods.item.every((method) => method === "GET");
}

/** Returns " lose their authority"; " lose this tag" for one of several. */
function lossText({ count, field }: CountedDependent, resource: Resource): string {
  const reference = REFERENCES[field] ?? labelOf(field).toLowerCase();
  const verb = count === 1 ? "loses" : "lose";
  if (reference === pluralOf(resource)) return ` ${verb} this ${nounOf(resource)}`;
  return ` ${verb} ${count === 1 ? "its" : "their"} ${reference}`;
}

/** Renders what prevents the deletion, with a link to the list of each kind. */
function Prevented({ resource, ids, found }: Dependents): Html {
  return (
    <>
      <p>These objects refer to {ids.length === 1 ? "it" : "them"}. Change or delete them first:</p>
      <CountedKinds resource={resource} ids={ids} found={preventing(found)} />
    </>
  );
}

/** Returns the objects that prevent a deletion. */
function preventing(found: readonly CountedDependent[]): CountedDependent[] {
  return found.filter(({ effect }) => effect === "restrict");
}

/** Renders the number of objects of each kind, with a link to its list and a text after it. */
function CountedKinds(
  { resource, ids, found, textOf }: Dependents & { textOf?: (one: CountedDependent) => string },
): Html {
  return (
    <ul>
      {found.map((one) => {
        const path = listOf(one, { resource, ids });
        const text = countedObjects(one.resource, one.count);
        return (
          <li>
            {path === undefined ? text : <a href={path} class="underlined">{text}</a>}
            {textOf?.(one)}
          </li>
        );
      })}
    </ul>
  );
}

/** Objects whose dependents a list can show together: its page has a chip for each. */
const MAX_LISTED = 20;

/**
 * Returns the path of the list of all dependents, also of those that the list leaves out by default; undefined if it has
 * no filter for them, or for so many objects.
 */
function listOf(
  dependent: CountedDependent,
  { resource, ids }: { resource: Resource; ids: readonly number[] },
): string | undefined {
  const filter = filterBy(dependent, resource);
  if (ids.length > MAX_LISTED || filter === undefined) return undefined;
  const { setAside } = dependent.resource.listed ?? {};
  const all = setAside === undefined ? "" : `&show=all&${setAside.filter}=true&${setAside.filter}=false`;
  return `${listPath(dependent.resource)}?${ids.map((id) => `${filter}=${id}`).join("&")}${all}`;
}

/** Returns the filter of a list by the id of an object to which its objects refer; undefined if it has none. */
function filterBy(
  { resource: { map: { fields } }, field }: CountedDependent,
  { objectType }: Resource,
): string | undefined {
  const relations = Object.entries(fields).flatMap(([name, one]) =>
    (one.kind === "reference" || one.kind === "many") && one.target().objectType === objectType ? [name] : []
  );
  const name = relations.includes(field) ? field : relations.length === 1 ? relations[0] : undefined;
  return name === undefined ? undefined : `${name}_id`;
}

/** Deletes one or several objects, after a confirmation. */

import { type AppErrorCode, forbidden } from "../../../base/errors.ts";
import { countDependents, deleteObject, deleteObjects, getObject } from "../../../resource/mod.ts";
import { type Call, idOf } from "../../call.ts";
import { Form, isolate } from "../components/mod.ts";
import { capitalized } from "../../messages.ts";
import { listPath, objectPath } from "../../paths.ts";
import { attempt, done, refused } from "../../responses.ts";
import { page } from "../../shell/mod.ts";
import { Back, DeletionEffects, isPrevented, Prevented } from "./deletion_effects.tsx";
import { backOf, selectedIds } from "../list/defaults.ts";
import { readColumns } from "../list/read_list.ts";
import { may } from "./permitted_actions.ts";
import { ObjectNames } from "../reference/object_names.tsx";
import { BRIEF_FIELDS, nameFields, objectTitle, titleOf, type View } from "../view.ts";
import { countedObjects, nounOf, pluralOf } from "../../type_label.ts";

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
  const back = objectPath(resource, object.id);
  const name = objectTitle(view, object);
  const found = await countDependents(call.ctx, resource, [idOf(call)]);
  const above = [[titleOf(view), listPath(resource)], [name, back]] as const;
  const prevented = isPrevented(found);
  const { fault, content = null } = await view.deletion?.(call, { ids: [object.id], back, prevented }) ?? {};
  if (fault !== undefined || prevented) {
    return page(
      call,
      { title: `${isolate(name)} cannot be deleted`, above },
      <div class="box">
        {fault === undefined
          ? <Prevented resource={resource} ids={[idOf(call)]} found={found} />
          : <p>{fault}</p>}
        <Back path={back}>{content}</Back>
      </div>,
    );
  }
  return page(
    call,
    { title: `Delete ${nounOf(resource)}?`, above },
    <div class="box">
      <p>
        <strong>
          <bdi>{name}</bdi>
        </strong>{" "}
        will be permanently deleted. The change log keeps a copy of its data.
      </p>
      <DeletionEffects call={call} resource={resource} ids={[idOf(call)]} found={found} />
      {content}
      <Form call={call} action={`${back}delete/`} class="form-actions">
        <button type="submit" class="danger">Delete {nounOf(resource)}</button>
        <a href={back}>Cancel</a>
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
    if (!call.form.has("confirmed")) return await confirmSelected(call, view, { ids, back });
    await deleteObjects({ ctx: call.ctx, resource, input: ids.map((id) => ({ id })) });
    return done(call, back, `${countedObjects(resource, ids.length)} deleted.`);
  });
}

async function confirmSelected(
  call: Call,
  view: View,
  { ids, back }: { ids: readonly number[]; back: string },
): Promise<Response> {
  const { resource } = view;
  const { rows: objects } = await readColumns(call, resource, {
    params: { limit: 0, id: ids },
    fields: BRIEF_FIELDS,
    columns: nameFields(view),
  });
  if (objects.length === 0) {
    return refused(call, back, `The selected ${pluralOf(resource)} do not exist.`);
  }
  const chosen = objects.map(({ id }) => id);
  const found = await countDependents(call.ctx, resource, chosen);
  const prevented = isPrevented(found);
  const { content } = prevented ? {} : await view.deletion?.(call, { ids: chosen, back, prevented }) ?? {};
  const count = countedObjects(resource, objects.length);
  return page(
    call,
    {
      title: prevented ? `${count} cannot be deleted together` : `Delete ${count}?`,
      above: [[titleOf(view), listPath(resource)]],
    },
    <div class="box">
      <ObjectNames objects={objects.map((object) => ({ ...object, display: objectTitle(view, object) }))} />
      {prevented
        ? (
          <>
            <Prevented resource={resource} ids={chosen} found={found} />
            <Back path={back} />
          </>
        )
        : (
          <>
            <p>
              These objects will be permanently deleted, all or none. The change log keeps a copy of their
              data.
            </p>
            <DeletionEffects call={call} resource={resource} ids={chosen} found={found} />
            {content}
            <Form call={call} action={`${listPath(resource)}delete/`} class="form-actions">
              <input type="hidden" name="back" value={back} />
              <input type="hidden" name="ids" value={chosen.join(",")} />
              <button type="submit" class="danger" name="confirmed" value="yes">Delete {count}</button>
              <a href={back}>Cancel</a>
            </Form>
          </>
        )}
    </div>,
  );
}

/** Edits the tenant, the tags and the fields that the view declares of several objects. */

import { numberText } from "../../../base/amounts.ts";
import { AppError, type FieldErrors, forbidden } from "../../../base/errors.ts";
import { type AnyObject, etagOfObject, undoUpdates, updateObjects } from "../../../resource/mod.ts";
import type { Call } from "../../call.ts";
import { ErrorSummary, Form, TextField } from "../components/mod.ts";
import { textOf } from "../../forms.ts";
import { fieldErrorsOf } from "../../messages.ts";
import { listPath } from "../../paths.ts";
import { attempt, done, refused, seeOther } from "../../responses.ts";
import { page } from "../../shell/mod.ts";
import { editedFields, editErrors, fieldControls, type PostedEdit, postedEdit } from "./bulk_edit_fields.tsx";
import { backOf, selectedIds } from "./defaults.ts";
import { readColumns } from "./read_list.ts";
import { may } from "../detail/permitted_actions.ts";
import { ObjectLinks } from "../detail/value.tsx";
import { BRIEF_FIELDS, nameFields, objectTitle, titleOf, type View } from "../view.ts";
import { countedObjects, nounOf, pluralOf } from "../../type_label.ts";

/** Number of objects whose names the form shows. */
const SHOWN_OBJECTS = 10;

/** Returns whether objects of a view can be edited together. */
export function editableMany(view: View): boolean {
  return view.resource.methods.item.includes("PUT") && editedFields(view).length > 0;
}

/** Shows the form for the selected objects, and changes them by one request of the API (`PATCH` with a list). */
export async function editSelected(call: Call, view: View): Promise<Response> {
  const { resource } = view;
  if (!may(call, resource, "change")) throw forbidden();
  const back = backOf(call, resource);
  return await attempt({ call, back, codes: ["invalid", "forbidden", "conflict", "too_large"] }, async () => {
    const ids = await selectedIds(call, view);
    if (ids.length === 0) return refused(call, back, `Select at least one ${nounOf(resource)}.`);
    const objects = await selectedObjects(call, view, ids);
    if (objects.length === 0) {
      return refused(call, back, `The selected ${pluralOf(resource)} do not exist.`);
    }
    if (!call.form.has("confirmed")) return await editForm(call, view, { objects, back, errors: {} });
    const edit = await postedEdit(call, view);
    const wrong = editErrors(call, edit);
    if (wrong !== undefined) return await editForm(call, view, { objects, back, errors: wrong });
    try {
      return await save(call, view, { objects, edit, back });
    } catch (error) {
      const errors = errorsOf(error);
      if (errors === undefined) throw error;
      return await editForm(call, view, { objects, back, errors });
    }
  });
}

/** Undoes an edit that the message on a page reported. */
export async function undoEdit(call: Call, view: View): Promise<Response> {
  const { resource } = view;
  if (!may(call, resource, "change")) throw forbidden();
  const back = backOf(call, resource);
  return await attempt({ call, back, codes: ["invalid", "conflict"] }, async () => {
    const requestId = textOf(call.form, "request_id");
    const restored = /^[0-9a-f-]{36}$/.test(requestId)
      ? await undoUpdates({
        ctx: call.ctx,
        resource,
        requestId,
        fields: editedFields(view).map(({ name }) => name),
      })
      : 0;
    return restored === 0
      ? refused(call, back, "Nothing left to undo: the objects have changed since.")
      : done(call, back, `${countedObjects(resource, restored)} restored.`);
  });
}

async function selectedObjects(
  call: Call,
  view: View,
  ids: readonly number[],
): Promise<readonly AnyObject[]> {
  const columns = [...nameFields(view), "last_updated", ..."tags" in view.resource.fields ? ["tags"] : []];
  const params = { limit: 0, id: ids };
  return (await readColumns(call, view.resource, { params, fields: BRIEF_FIELDS, columns })).rows;
}

async function save(
  call: Call,
  { resource }: View,
  { objects, edit, back }: { objects: readonly AnyObject[]; edit: PostedEdit; back: string },
): Promise<Response> {
  const versions = new Map(objects.map((object) => [object.id, etagOfObject(object)]));
  const changed = (await updateObjects({
    ctx: call.ctx,
    resource,
    mode: "patch",
    input: objects.map((object) => bodyOf(object, edit)),
    // The new tags of an object are the ones that were read, with some added and removed.
    accepts: (id, etag) => versions.get(id) === etag,
  })).filter((object) => etagOfObject(object) !== versions.get(object.id)).length;
  if (changed === 0) {
    return seeOther(call, back, {
      flash: { kind: "info", text: "Nothing changed: all have these values already." },
    });
  }
  const rest = objects.length - changed;
  const text = `${countedObjects(resource, changed)} changed${
    rest === 0 ? "" : `; ${numberText(rest)} unchanged`
  }.`;
  const undo = { action: "edit" as const, requestId: call.ctx.requestId, list: listPath(resource) };
  return seeOther(call, back, { flash: { kind: "success", text, undo } });
}

function bodyOf(
  { id, tags }: AnyObject,
  { values, add, remove, message }: PostedEdit,
): Record<string, unknown> {
  const held = Array.isArray(tags) ? tags.map((tag) => Number(tag.id)) : [];
  const kept = held.filter((tag) => !remove.includes(tag));
  return {
    id,
    ...values,
    ...(add.length + remove.length === 0 ? {} : { tags: [...new Set([...kept, ...add])] }),
    ...(message === "" ? {} : { changelog_message: message }),
  };
}

/** Returns the errors that the form shows; undefined for others. */
function errorsOf(error: unknown): FieldErrors | undefined {
  if (!(error instanceof AppError)) return undefined;
  if (error.code === "precondition_failed") {
    return { __all__: ["Another user changed one of these objects meanwhile. Save again."] };
  }
  if (error.code !== "invalid") return undefined;
  const { tags, ...errors } = fieldErrorsOf(error);
  return tags === undefined ? errors : { ...errors, add_tags: tags };
}

async function editForm(
  call: Call,
  view: View,
  { objects, back, errors }: { objects: readonly AnyObject[]; back: string; errors: FieldErrors },
): Promise<Response> {
  const { resource } = view;
  const { controls, shown } = await fieldControls(call, view, { objects, errors });
  return page(
    call,
    {
      title: `Edit ${countedObjects(resource, objects.length)}`,
      above: [[titleOf(view), back]],
      ...(Object.keys(errors).length > 0 ? { status: 400 } : {}),
    },
    <div class="box form">
      <ErrorSummary errors={errors} shown={[...shown, "changelog_message"]} />
      <p>
        <ObjectLinks
          briefs={objects.map((object) => ({ ...object, display: objectTitle(view, object) }))}
          most={SHOWN_OBJECTS}
        />
      </p>
      <Form call={call} action={`${listPath(resource)}bulk-edit/`}>
        <input type="hidden" name="back" value={back} />
        <input type="hidden" name="ids" value={objects.map(({ id }) => id).join(",")} />
        <div class="fields">
          {controls}
          <TextField
            name="changelog_message"
            label="Comment"
            help="Kept in the change log."
            value={textOf(call.form, "changelog_message")}
            errors={errors}
          />
        </div>
        <div class="form-actions">
          <button type="submit" name="confirmed" value="yes">
            Save {countedObjects(resource, objects.length)}
          </button>
          <a href={back}>Cancel</a>
        </div>
      </Form>
    </div>,
  );
}

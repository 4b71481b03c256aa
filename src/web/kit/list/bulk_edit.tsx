/** Edits the tenant, the tags and the fields that the view declares of several objects. */

import { numberText } from "../../../base/amounts.ts";
import { AppError, type FieldErrors, forbidden } from "../../../base/errors.ts";
import { etagOfObject, type Out, undoUpdates, updateObjects } from "../../../resource/mod.ts";
import type { Call } from "../../call.ts";
import { ErrorSummary, Form, TextField } from "../components/mod.ts";
import { textOf } from "../../forms.ts";
import { fieldErrorsOf } from "../../messages.ts";
import { listPath } from "../../paths.ts";
import { attempt, done, refused, seeOther } from "../../responses.ts";
import { page } from "../../shell/mod.ts";
import { backOf, selectedIds } from "./tabs.tsx";
import { readColumns } from "./read_list.ts";
import { may } from "../detail/permitted_actions.ts";
import { ObjectLinks } from "../detail/value.tsx";
import { BRIEF_FIELDS, nameFields, objectTitle, type View } from "../view.ts";
import { countedObjects, listTitle, nounOf, pluralOf } from "../../type_label.ts";
import {
  editedFields,
  type PostedEdit,
  postedEdit,
  TAG_FIELDS,
  tagControls,
  tagsOf,
  valueControl,
} from "./bulk_edit_fields.tsx";

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
    const { rows: objects } = await readColumns(call, resource, {
      params: { limit: 0, id: ids },
      fields: BRIEF_FIELDS,
      columns: [...nameFields(view), "last_updated", ..."tags" in resource.fields ? ["tags"] : []],
    });
    if (objects.length === 0) {
      return refused(call, back, `The selected ${pluralOf(resource)} do not exist.`);
    }
    const again = async (errors: FieldErrors): Promise<Response> =>
      await editForm(call, view, { objects, back, errors });
    if (!call.form.has("confirmed")) return await again({});
    const edit = await postedEdit(call, view);
    if (Object.keys(edit.errors).length > 0) return await again(edit.errors);
    try {
      return await save(call, view, { objects, edit, back });
    } catch (error) {
      const code = error instanceof AppError ? error.code : undefined;
      if (code === "precondition_failed") {
        return await again({ __all__: ["Another user changed one of these objects meanwhile. Save again."] });
      }
      if (code !== "invalid") throw error;
      const { tags, ...errors } = fieldErrorsOf(error);
      return await again(tags === undefined ? errors : { ...errors, add_tags: tags });
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

async function save(
  call: Call,
  { resource }: View,
  { objects, edit: { values, add, remove }, back }: {
    objects: readonly Out[];
    edit: PostedEdit;
    back: string;
  },
): Promise<Response> {
  const message = textOf(call.form, "changelog_message");
  const versions = new Map(objects.map((object) => [object.id, etagOfObject(object)]));
  const changed = (await updateObjects({
    ctx: call.ctx,
    resource,
    mode: "patch",
    input: objects.map((object) => ({
      id: object.id,
      ...values,
      ...(add.length + remove.length === 0
        ? {}
        : { tags: [...new Set([...tagsOf(object).filter((tag) => !remove.includes(tag)), ...add])] }),
      ...(message === "" ? {} : { changelog_message: message }),
    })),
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

async function editForm(
  call: Call,
  view: View,
  { objects, back, errors }: { objects: readonly Out[]; back: string; errors: FieldErrors },
): Promise<Response> {
  const { resource } = view;
  const fields = editedFields(view);
  const controls = await Promise.all(
    fields.map((field) =>
      field.many ? tagControls(call, field, { objects, errors }) : valueControl(call, view, { field, errors })
    ),
  );
  const shown = fields.flatMap(({ many, name }) => many ? TAG_FIELDS.map(([own]) => own) : [name]);
  return page(
    call,
    {
      title: `Edit ${countedObjects(resource, objects.length)}`,
      above: [[listTitle(view.resource), back]],
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

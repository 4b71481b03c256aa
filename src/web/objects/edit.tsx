/** Creating and changing an object. */

import type { FieldErrors } from "../../base/errors.ts";
import {
  createObject,
  etagOfObject,
  getObject,
  type Resource,
  updateObject,
  WHOLE,
} from "../../resource/mod.ts";
import { type Call, idOf } from "../call.ts";
import { textOf } from "../forms.ts";
import { ErrorSummary, Form } from "../kit/mod.ts";
import { fieldErrorsOf } from "../messages.ts";
import { listPath, objectPath } from "../paths.ts";
import { done } from "../responses.ts";
import { page } from "../shell/mod.ts";
import { FieldInput, loadChoices } from "./field_input.tsx";
import { bodyOf, formFields, type FormState, newState, postedState, stateOf } from "./form_state.ts";
import { type Shown, titleOf, type View } from "./view.ts";

/** What a form is shown with. */
interface Editing {
  readonly state: FormState;
  readonly errors: FieldErrors;
  /** The object that is changed; undefined for a new one. */
  readonly object?: Shown;
  /** Its version when the form was made. */
  readonly version?: string;
}

/** The form of a new object; the address may fill it (`?tenant=3`). */
export function newPage(call: Call, view: View): Promise<Response> {
  return formPage(call, view, { state: newState(view, call.query), errors: {} });
}

/** Creates it. */
export async function createFromForm(call: Call, view: View): Promise<Response> {
  const { resource } = view;
  const state = postedState(view, call.form);
  const errors: FieldErrors = {};
  const input = bodyOf(view, state, { changing: false, errors });
  try {
    if (Object.keys(errors).length > 0) return await formPage(call, view, { state, errors });
    const object = await createObject({ ctx: call.ctx, resource, input });
    return done(call, objectPath(resource, object.id), `The ${resource.label} was created.`);
  } catch (error) {
    return await formPage(call, view, { state, errors: fieldErrorsOf(error) });
  }
}

/** The form of an object that is there. */
export async function editPage(call: Call, view: View): Promise<Response> {
  const object = await load(call, view.resource);
  const version = etagOfObject(object) ?? "";
  return await formPage(call, view, { state: stateOf(view, object), errors: {}, object, version });
}

/** Changes it, unless somebody else has done so since the form was made. */
export async function changeFromForm(call: Call, view: View): Promise<Response> {
  const { resource } = view;
  const state = postedState(view, call.form);
  const errors: FieldErrors = {};
  const input = bodyOf(view, state, { changing: true, errors });
  const version = textOf(call.form, "version");
  try {
    if (Object.keys(errors).length === 0) {
      const object = await updateObject({
        ctx: call.ctx,
        resource,
        id: idOf(call),
        input,
        mode: resource.methods.item.includes("PATCH") ? "patch" : "replace",
        accepts: version === "" ? undefined : (etag) => etag === version,
      });
      return done(call, objectPath(resource, object.id), `The ${resource.label} was changed.`);
    }
  } catch (error) {
    Object.assign(errors, changedMeanwhile(error) ?? fieldErrorsOf(error));
  }
  return await formPage(call, view, { state, errors, object: await load(call, resource), version });
}

function changedMeanwhile(error: unknown): FieldErrors | undefined {
  if (!(error instanceof Error) || !("code" in error) || error.code !== "precondition_failed") {
    return undefined;
  }
  return {
    __all__: [
      "Somebody has changed this since you opened the form. Open it again to see the change, then edit.",
    ],
  };
}

async function load({ ctx, ...call }: Call, resource: Resource): Promise<Shown> {
  const { object } = await getObject({ ctx, resource, id: idOf({ ctx, ...call }), selection: WHOLE });
  return object as Shown;
}

async function formPage(call: Call, view: View, editing: Editing): Promise<Response> {
  const { resource } = view;
  const { state, errors, object, version } = editing;
  const fields = formFields(view);
  const choices = await loadChoices(call, view, fields);
  const changing = object !== undefined;
  const back = changing ? objectPath(resource, object.id) : listPath(resource);
  const wrong = Object.keys(errors).length > 0;
  return page(
    call,
    {
      title: changing ? `Edit ${object.display}` : `New ${resource.label}`,
      above: [[titleOf(view), listPath(resource)], ...(changing ? [[object.display, back] as const] : [])],
      ...(wrong ? { status: 400 } : {}),
    },
    <div class="box">
      <Form call={call} action={changing ? `${back}edit/` : `${back}new/`}>
        <ErrorSummary errors={errors} shown={fields.map(({ name }) => name)} />
        {version === undefined ? null : <input type="hidden" name="version" value={version} />}
        {fields.map((field) => (
          <FieldInput
            field={field}
            value={state[field.name] ?? ""}
            errors={errors}
            choices={choices.get(field.name)}
            changing={changing}
          />
        ))}
        {view.formNotes?.(call) ?? null}
        <div class="form-actions">
          <button type="submit">{changing ? "Save" : `Create ${resource.label}`}</button>
          <a href={back}>Cancel</a>
        </div>
      </Form>
    </div>,
  );
}

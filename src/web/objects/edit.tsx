/** Creating and changing an object. */

import { AppError, type FieldErrors, forbidden } from "../../base/errors.ts";
import {
  ALL_FIELDS,
  createObject,
  etagOfObject,
  getObject,
  type Resource,
  updateObject,
} from "../../resource/mod.ts";
import { assetPath } from "../assets/mod.ts";
import { type Call, idOf } from "../call.ts";
import { textOf } from "../forms.ts";
import { type Content, ErrorSummary, Form, withoutPrivateKey } from "../components/mod.ts";
import { capitalized } from "../messages.ts";
import { listPath, objectPath } from "../paths.ts";
import { done } from "../responses.ts";
import { page } from "../shell/mod.ts";
import { FieldInput } from "./field_input.tsx";
import { loadChoices } from "./form_choices.ts";
import { formErrorsOf } from "./form_errors.ts";
import { bodyOf, formFields, newState, postedState, stateOf } from "./form_state.ts";
import { genericsOf } from "./generic_reference.ts";
import { may } from "./permitted_actions.ts";
import { TargetInput } from "./target_input.tsx";
import { type ApiObject, type FormState, nameOf, titleOf, type View } from "./view.ts";

/** What a form is shown with. */
interface Editing {
  readonly state: FormState;
  readonly errors: FieldErrors;
  /** Whether what the form asks for is beyond the user's rights. */
  readonly forbidden?: boolean;
  /** The object that is changed; undefined for a new one. */
  readonly object?: ApiObject;
  /** Its version when the form was made. */
  readonly version?: string;
}

/** The form of a new object; the address may fill it (`?tenant=3`). */
export async function newPage(call: Call, view: View): Promise<Response> {
  requireAny(call, view, "add");
  return await formPage(call, view, { state: newState(view, call.query), errors: {} });
}

/** Creates it. */
export async function createFromForm(call: Call, view: View): Promise<Response> {
  const { resource } = view;
  requireAny(call, view, "add");
  const state = postedState(view, call.form);
  const errors: FieldErrors = {};
  const input = bodyOf(view, state, { changing: false, errors });
  try {
    if (Object.keys(errors).length > 0) return await formPage(call, view, { state, errors });
    const object = await createObject({ ctx: call.ctx, resource, input });
    return view.created?.(call, object as ApiObject) ??
      done(call, objectPath(resource, object.id), `${capitalized(resource.label)} created.`);
  } catch (error) {
    return await formPage(call, view, {
      state,
      errors: formErrorsOf(view, state, error),
      forbidden: isForbidden(error),
    });
  }
}

/** The form of an object that is there. */
export async function editPage(call: Call, view: View): Promise<Response> {
  requireAny(call, view, "change");
  const object = await load(call, view.resource);
  const version = etagOfObject(object) ?? "";
  return await formPage(call, view, { state: stateOf(view, object), errors: {}, object, version });
}

/** Changes it, unless somebody else has done so since the form was made. */
export async function changeFromForm(call: Call, view: View): Promise<Response> {
  const { resource } = view;
  requireAny(call, view, "change");
  const state = postedState(view, call.form);
  const errors: FieldErrors = {};
  const input = bodyOf(view, state, { changing: true, errors });
  const version = textOf(call.form, "version");
  let beyondRights = false;
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
      return done(call, objectPath(resource, object.id), `${capitalized(resource.label)} saved.`);
    }
  } catch (error) {
    Object.assign(errors, changedMeanwhile(error) ?? formErrorsOf(view, state, error));
    beyondRights = isForbidden(error);
  }
  const object = await load(call, resource);
  return await formPage(call, view, { state, errors, forbidden: beyondRights, object, version });
}

/** Those whom no permission lets do it get no form. Errors: forbidden. */
function requireAny(call: Call, { resource }: View, action: "add" | "change"): void {
  if (!may(call, resource, action)) throw forbidden();
}

function isForbidden(error: unknown): boolean {
  return error instanceof AppError && error.code === "forbidden";
}

function changedMeanwhile(error: unknown): FieldErrors | undefined {
  if (!(error instanceof AppError) || error.code !== "precondition_failed") return undefined;
  return {
    __all__: [
      "This object was changed after you opened the form. Open it again to see the changes, then edit.",
    ],
  };
}

async function load(call: Call, resource: Resource): Promise<ApiObject> {
  const { object } = await getObject({ ctx: call.ctx, resource, id: idOf(call), selection: ALL_FIELDS });
  return object as ApiObject;
}

async function formPage(call: Call, view: View, editing: Editing): Promise<Response> {
  const { resource } = view;
  const { errors, object, version } = editing;
  const changing = object !== undefined;
  const back = changing ? objectPath(resource, object.id) : listPath(resource);
  const wrong = Object.keys(errors).length > 0;
  const name = changing ? nameOf(view, object) : "";
  return page(
    call,
    {
      title: changing ? `Edit ${name}` : `New ${resource.label}`,
      above: [[titleOf(view), listPath(resource)], ...(changing ? [[name, back] as const] : [])],
      ...(wrong ? { status: editing.forbidden ? 403 : 400 } : {}),
    },
    <div class="box">
      <Form call={call} action={changing ? `${back}edit/` : `${back}new/`}>
        <ErrorSummary errors={errors} shown={formFields(view).map((field) => field.name)} />
        {version === undefined ? null : <input type="hidden" name="version" value={version} />}
        {await controls(call, view, editing)}
        <div class="form-actions">
          <button type="submit">{changing ? "Save" : `Create ${resource.label}`}</button>
          <a href={back}>Cancel</a>
        </div>
      </Form>
      <script type="module" src={assetPath("suggest.js")}></script>
    </div>,
  );
}

/** A private key that was typed is not shown again, whatever its control is. */
function withoutPrivateKeys(state: FormState): FormState {
  return Object.fromEntries(
    Object.entries(state).map(([name, value]) => [
      name,
      typeof value === "string" ? withoutPrivateKey(value) : value.map(withoutPrivateKey),
    ]),
  );
}

/** The control of each field; the two fields of a generic reference have one together. */
async function controls(call: Call, view: View, editing: Editing): Promise<Content[]> {
  const { errors, object } = editing;
  const state = withoutPrivateKeys(editing.state);
  const fields = formFields(view);
  const generics = genericsOf(view.resource);
  const choices = await loadChoices(call, view, { fields, state });
  return fields.filter((field) => !generics.some(({ id }) => id.name === field.name)).map((field) => {
    const generic = generics.find(({ type }) => type.name === field.name);
    const notes = view.notes?.[field.name]?.(call, state) ?? null;
    if (generic !== undefined) {
      return (
        <TargetInput generic={generic} choices={choices.targets(generic)} state={state} errors={errors} />
      );
    }
    return (
      <>
        <FieldInput
          field={field}
          value={state[field.name] ?? ""}
          errors={errors}
          choices={choices.of(field)}
          changing={object !== undefined}
        />
        {notes}
      </>
    );
  });
}

/** Creating and changing an object. */

import { AppError, type FieldErrors, forbidden } from "../../../base/errors.ts";
import {
  ALL_FIELDS,
  type AnyObject,
  createObject,
  etagOfObject,
  getObject,
  type Resource,
  updateObject,
} from "../../../resource/mod.ts";
import { type Call, idOf } from "../../call.ts";
import { textOf } from "../../forms.ts";
import { type Content, ErrorSummary, Form, isolate } from "../components/mod.ts";
import { capitalized } from "../../messages.ts";
import { listPath, objectPath } from "../../paths.ts";
import { done } from "../../responses.ts";
import { page } from "../../shell/mod.ts";
import { conflictTable } from "./conflict_table.tsx";
import { inOrder, labelsOf } from "./form_sections.tsx";
import { PICK, withFilterRows } from "../filters/filter_picker.tsx";
import { FIND } from "../reference/choices.ts";
import { FirstButton, FormActions, PREVIEW } from "./form_actions.tsx";
import { formControls } from "./form_controls.tsx";
import { formErrorsOf, isUnsent } from "./form_errors.ts";
import {
  bodyOf,
  chosenIn,
  formFields,
  newState,
  postedState,
  stateOf,
  withoutPrivateKeys,
} from "./form_state.ts";
import { choosePage, chosenQuery } from "./choose_kind.tsx";
import { conflictText } from "./edit_conflict.ts";
import { isChosen } from "./parts.ts";
import { LockedFields, lockedNames, postedLocks, withoutFields } from "./locked_fields.tsx";
import { may } from "../detail/permitted_actions.ts";
import { tried } from "./trial.tsx";
import { type FormState, objectTitle, titleOf, type View } from "../view.ts";
import { nounOf } from "../../type_label.ts";

/** State of the form. */
interface Editing {
  readonly state: FormState;
  readonly errors: FieldErrors;
  /** Whether the user's constraints do not allow the change. */
  readonly forbidden?: boolean;
  /** The object to change; undefined for a new one. */
  readonly object?: AnyObject;
  /** Its version when the form was rendered. */
  readonly version?: string;
  /** Whether another user has changed the object since the form was opened. */
  readonly conflict?: boolean;
  /** Fields that are shown without controls. */
  readonly locked?: readonly string[];
  /** What the view shows of a new object before it is created. */
  readonly preview?: Content;
}

/** Renders the form of a new object; the URL can fill fields (`?tenant=3`). */
export async function newPage(call: Call, given: View): Promise<Response> {
  const view = withoutFields(given, given.create?.(call).without ?? []);
  requireAny(call, view, "add");
  const { parts } = view;
  const state = newState(call, view);
  if (parts !== undefined && !isChosen(parts, chosenIn(view, state))) return choosePage(call, view, parts);
  return await formPage(call, view, { state, errors: {} });
}

/** Creates the object. */
export async function createFromForm(call: Call, given: View): Promise<Response> {
  const { preview, inputOf, created, without = [] } = given.create?.(call) ?? {};
  const view = withoutFields(given, without);
  const { resource } = view;
  requireAny(call, view, "add");
  const posted = await postedState(call, view);
  if (call.form.has(FIND)) return await formPage(call, view, { state: posted.state, errors: {} });
  const filtered = withFilterRows(call, view, posted.state);
  if (call.form.has(PICK)) return await formPage(call, view, filtered);
  const { state } = filtered;
  const errors: FieldErrors = { ...posted.errors, ...filtered.errors };
  if (preview !== undefined && call.form.has(PREVIEW)) {
    if (Object.keys(errors).length > 0) return await formPage(call, view, { state, errors });
    const { content, errors: found } = await preview.show(state);
    return await formPage(call, view, { state, errors: found, preview: content });
  }
  const input = bodyOf(call, view, { state, changing: false, errors });
  try {
    if (isUnsent(call, view, { state, errors })) return await formPage(call, view, { state, errors });
    const object = await createObject({
      ctx: call.ctx,
      resource,
      input: await inputOf?.(input) ?? input,
    });
    const trial = await tried(call, view, object.id);
    return created?.(object) ??
      done(call, objectPath(resource, object.id), `${capitalized(nounOf(resource))} created.${trial}`);
  } catch (error) {
    return await formPage(call, view, {
      state,
      errors: { ...formErrorsOf(call, view, { state, error }), ...errors },
      forbidden: isForbidden(error),
    });
  }
}

/** Renders the form of an existing object. */
export async function editPage(call: Call, view: View): Promise<Response> {
  requireAny(call, view, "change");
  const object = await load(call, view.resource);
  const version = etagOfObject(object) ?? "";
  const locked = lockedNames(call, view, object);
  const open = withoutFields(view, locked);
  return await formPage(call, open, {
    state: stateOf(call, open, object),
    errors: {},
    object,
    version,
    locked,
  });
}

/** Changes the object, unless another user has changed it since the form was rendered. */
export async function changeFromForm(call: Call, given: View): Promise<Response> {
  const locked = postedLocks(call, given);
  const view = withoutFields(given, locked);
  const { resource } = view;
  requireAny(call, view, "change");
  const posted = await postedState(call, view);
  const filtered = withFilterRows(call, view, posted.state);
  const { state } = filtered;
  const errors: FieldErrors = { ...posted.errors, ...filtered.errors };
  const input = bodyOf(call, view, { state, changing: true, errors });
  const version = textOf(call.form, "version");
  if (call.form.has(FIND)) {
    return await formPage(call, view, {
      state,
      errors: {},
      version,
      locked,
      object: await load(call, resource),
    });
  }
  if (call.form.has(PICK)) {
    const object = await load(call, resource);
    return await formPage(call, view, { ...filtered, version, locked, object });
  }
  let [beyondRights, conflict] = [false, false];
  try {
    if (!isUnsent(call, view, { state, errors })) {
      const object = await updateObject({
        ctx: call.ctx,
        resource,
        id: idOf(call),
        input,
        mode: resource.methods.item.includes("PATCH") ? "patch" : "replace",
        accepts: version === "" ? undefined : (etag) => etag === version,
      });
      const trial = await tried(call, view, object.id);
      return done(call, objectPath(resource, object.id), `${capitalized(nounOf(resource))} saved.${trial}`);
    }
  } catch (error) {
    conflict = error instanceof AppError && error.code === "precondition_failed";
    Object.assign(
      errors,
      conflict
        ? { __all__: [await conflictText(call, { resource, id: idOf(call) })] }
        : { ...formErrorsOf(call, view, { state, error }), ...errors },
    );
    beyondRights = isForbidden(error);
  }
  const object = await load(call, resource);
  // Saving again after a conflict is a decision: the user has seen both versions.
  const seen = conflict ? etagOfObject(object) ?? "" : version;
  return await formPage(call, view, {
    state,
    errors,
    forbidden: beyondRights,
    object,
    version: seen,
    conflict,
    locked,
  });
}

/** Refuses users without any matching permission. Errors: forbidden. */
function requireAny(call: Call, { resource }: View, action: "add" | "change"): void {
  if (!may(call, resource, action)) throw forbidden();
}

function isForbidden(error: unknown): boolean {
  return error instanceof AppError && error.code === "forbidden";
}

async function load(call: Call, resource: Resource): Promise<AnyObject> {
  const { object } = await getObject({ ctx: call.ctx, resource, id: idOf(call), selection: ALL_FIELDS });
  return object;
}

async function formPage(call: Call, view: View, given: Editing): Promise<Response> {
  const { resource } = view;
  // Neither the URL nor the controls of the page show a private key that was typed.
  const editing: Editing = { ...given, state: withoutPrivateKeys(given.state) };
  const { errors, object, version } = editing;
  const changing = object !== undefined;
  const back = changing ? objectPath(resource, object.id) : listPath(resource);
  const wrong = Object.keys(errors).length > 0;
  const fields = formFields(call, view, chosenIn(view, editing.state));
  const name = changing ? objectTitle(view, object) : "";
  const slots = view.create?.(call) ?? {};
  return page(
    call,
    {
      title: changing ? `Edit ${isolate(name)}` : slots.title ?? `New ${nounOf(resource)}`,
      above: [[titleOf(view), listPath(resource)], ...(changing ? [[name, back] as const] : [])],
      ...(wrong ? { status: editing.forbidden ? 403 : 400 } : {}),
    },
    <>
      {changing || wrong ? null : await slots.above?.()}
      <div class="box form">
        <Form
          call={call}
          action={changing
            ? `${back}edit/`
            : `${back}${slots.path ?? "new/"}${chosenQuery(view, editing.state)}`}
          kept
        >
          <ErrorSummary
            errors={errors}
            shown={inOrder(view, fields)}
            labels={labelsOf(fields)}
          />
          {editing.conflict && changing
            ? await conflictTable(call, view, { state: editing.state, object })
            : null}
          {version === undefined ? null : <input type="hidden" name="version" value={version} />}
          {/* Enter in a field activates the first button of a form, which must not change a filter (HTML §4.10.21.2). */}
          {Object.values(view.fields ?? {}).some(({ picker }) => picker !== undefined)
            ? <FirstButton />
            : null}
          {await formControls(call, view, { ...editing, fields })}
          {object === undefined
            ? null
            : <LockedFields call={call} view={view} names={editing.locked ?? []} object={object} />}
          {editing.preview ?? null}
          <FormActions
            view={view}
            changing={changing}
            conflict={editing.conflict === true}
            preview={slots.preview?.label}
            shown={editing.preview !== undefined && !wrong}
            back={back}
          />
        </Form>
      </div>
    </>,
  );
}

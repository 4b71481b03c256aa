/** Creating and changing an object. */

import { sha256Hex } from "../../../base/bytes.ts";
import { AppError, type FieldErrors, forbidden } from "../../../base/errors.ts";
import {
  ALL_FIELDS,
  createObject,
  etagOfObject,
  getObject,
  type Out,
  type Resource,
  updateObject,
} from "../../../resource/mod.ts";
import { type Call, idOf } from "../../call.ts";
import { textOf } from "../../forms.ts";
import { type Content, ErrorSummary, Form, isolate, withoutPrivateKey } from "../components/mod.ts";
import { capitalized } from "../../messages.ts";
import { listPath, objectPath } from "../../paths.ts";
import { done } from "../../responses.ts";
import { page } from "../../shell/mod.ts";
import { conflictTable, conflictText } from "./conflict.tsx";
import { choosePage, chosenQuery, formControls, inOrder, labelsOf } from "./controls.tsx";
import { withFilterRows } from "../filters/filter_picker.tsx";
import { PICK } from "../filters/filter_rows.ts";
import { FIND } from "../reference/choices.ts";
import { FirstButton } from "./actions.tsx";
import { formErrorsOf, isUnsent } from "./form_errors.ts";
import { bodyOf, chosenIn, formFields, newState, postedState, stateOf } from "./form_state.ts";
import { isChosen } from "./parts.ts";
import { may } from "../detail/permitted_actions.ts";
import { type FormPreview, type FormState, objectTitle, type View } from "../view.ts";
import { listTitle, nounOf } from "../../type_label.ts";

/** Name of the button that shows a new object before it is created. */
const PREVIEW = "preview";
/** Name of the hidden field with the hash of the values that were shown. */
const SHOWN = "shown";

/** State of the form. */
interface Editing {
  readonly state: FormState;
  readonly errors: FieldErrors;
  /** Whether the user's constraints do not allow the change. */
  readonly forbidden?: boolean;
  /** The object to change; undefined for a new one. */
  readonly object?: Out;
  /** Its version when the form was rendered. */
  readonly version?: string;
  /** Whether another user has changed the object since the form was opened. */
  readonly conflict?: boolean;
  /** What the view shows of a new object before it is created. */
  readonly preview?: Content;
}

/** Renders the form of a new object; the URL can fill fields (`?tenant=3`). */
export async function newPage(call: Call, given: View): Promise<Response> {
  const view = withoutFields(given, given.create?.(call).without ?? []);
  requireAny(call, view, "add");
  const { parts } = view;
  const state = newState(call, view);
  // Without a choice of the user, also if the field has a default.
  if (parts !== undefined && !isChosen(parts, call.query.get(parts.by) ?? "")) {
    return choosePage(call, view, parts);
  }
  return await formPage(call, view, { state, errors: {} });
}

/** Creates the object. */
export async function createFromForm(call: Call, given: View): Promise<Response> {
  const { preview, inputOf, created, without = [] } = given.create?.(call) ?? {};
  const view = withoutFields(given, without);
  const { resource } = view;
  requireAny(call, view, "add");
  return await submit(call, view, {
    preview: preview?.show,
    save: async (input) =>
      await createObject({ ctx: call.ctx, resource, input: await inputOf?.(input) ?? input }),
    saved: created,
  });
}

/** Saves the posted form, or shows it again: with its errors, or as one of its buttons has changed it. */
async function submit(
  call: Call,
  view: View,
  { existing, preview, save, saved }: {
    /** Loads the object to change; undefined for a new one. */
    existing?: () => Promise<Pick<Editing, "object" | "version">>;
    preview?: ((state: FormState) => Promise<FormPreview>) | undefined;
    save: (input: ReturnType<typeof bodyOf>) => Promise<Out>;
    saved?: ((object: Out) => Response | undefined) | undefined;
  },
): Promise<Response> {
  const { resource } = view;
  const again = async (editing: Editing): Promise<Response> =>
    await formPage(call, view, { ...await existing?.(), ...editing });
  const posted = await postedState(call, view);
  if (call.form.has(FIND)) return await again({ state: posted.state, errors: {} });
  const filtered = await withFilterRows(call, view, posted.state);
  if (call.form.has(PICK)) return await again(filtered);
  const { state } = filtered;
  const errors: FieldErrors = { ...posted.errors, ...filtered.errors };
  const isOutdated = call.form.has(SHOWN) && textOf(call.form, SHOWN) !== hashOf(state);
  if (preview !== undefined && (call.form.has(PREVIEW) || isOutdated)) {
    if (Object.keys(errors).length > 0) return await again({ state, errors });
    const { content, errors: found } = await preview(state);
    const isSent = isOutdated && !call.form.has(PREVIEW);
    return await again({
      state,
      errors: isSent ? { ...found, __all__: [OUTDATED, ...found.__all__ ?? []] } : found,
      preview: content,
    });
  }
  const changing = existing !== undefined;
  const input = bodyOf(call, view, { state, changing, errors });
  try {
    if (isUnsent(call, view, { state, errors })) return await again({ state, errors });
    const object = await save(input);
    const text = `${capitalized(nounOf(resource))} ${changing ? "saved" : "created"}.`;
    return saved?.(object) ?? done(call, objectPath(resource, object.id), text);
  } catch (error) {
    const code = error instanceof AppError ? error.code : undefined;
    const conflict = code === "precondition_failed";
    return await again({
      state,
      errors: conflict
        ? { ...errors, __all__: [await conflictText(call, { resource, id: idOf(call) })] }
        : { ...formErrorsOf(call, view, { state, error }), ...errors },
      forbidden: code === "forbidden",
      conflict,
    });
  }
}

const OUTDATED =
  "Not created: you have changed the form since this was shown. Here it is for the new values.";

/** Returns the hash of values, whose line breaks a browser writes as CRLF. */
function hashOf(state: FormState): string {
  return sha256Hex(JSON.stringify(state).replaceAll("\\r\\n", "\\n"));
}

/** Renders the form of an existing object. */
export async function editPage(call: Call, view: View): Promise<Response> {
  requireAny(call, view, "change");
  const object = await load(call, view.resource);
  const version = etagOfObject(object) ?? "";
  return await formPage(call, view, { state: stateOf(call, view, object), errors: {}, object, version });
}

/** Changes the object, unless another user has changed it since the form was rendered. */
export async function changeFromForm(call: Call, view: View): Promise<Response> {
  const { resource } = view;
  requireAny(call, view, "change");
  const version = textOf(call.form, "version");
  return await submit(call, view, {
    existing: async () => ({ object: await load(call, resource), version }),
    save: async (input) =>
      await updateObject({
        ctx: call.ctx,
        resource,
        id: idOf(call),
        input,
        mode: resource.methods.item.includes("PATCH") ? "patch" : "replace",
        accepts: version === "" ? undefined : (etag) => etag === version,
      }),
  });
}

/** Returns a view whose form leaves fields out. */
function withoutFields(view: View, names: readonly string[]): View {
  const { form } = view;
  if (names.length === 0 || form?.fields === undefined) return view;
  return { ...view, form: { ...form, fields: form.fields.filter((name) => !names.includes(name)) } };
}

/** Refuses users without any matching permission. Errors: forbidden. */
function requireAny(call: Call, { resource }: View, action: "add" | "change"): void {
  if (!may(call, resource, action)) throw forbidden();
}

async function load(call: Call, resource: Resource): Promise<Out> {
  const { object } = await getObject({ ctx: call.ctx, resource, id: idOf(call), selection: ALL_FIELDS });
  return object;
}

async function formPage(call: Call, view: View, given: Editing): Promise<Response> {
  const { resource } = view;
  // Neither the URL nor the controls of the page show a private key that was typed.
  const editing: Editing = { ...given, state: withoutPrivateKeys(given.state) };
  const { errors, object, conflict = false } = editing;
  // Saving again after a conflict is a decision: the user has seen both versions.
  const version = conflict && object !== undefined ? etagOfObject(object) ?? "" : editing.version;
  const changing = object !== undefined;
  const back = changing ? objectPath(resource, object.id) : listPath(resource);
  const wrong = Object.keys(errors).length > 0;
  const fields = formFields(call, view, chosenIn(view, editing.state));
  const name = changing ? objectTitle(view, object) : "";
  const slots = view.create?.(call) ?? {};
  return page(
    call,
    {
      title: changing ? `Edit ${isolate(name)}` : `New ${nounOf(resource)}`,
      above: [[listTitle(view.resource), listPath(resource)], ...(changing ? [[name, back] as const] : [])],
      ...(wrong ? { status: editing.forbidden ? 403 : 400 } : {}),
    },
    <>
      {changing || wrong ? null : await slots.above?.()}
      <div class="box form">
        <Form
          call={call}
          action={changing ? `${back}edit/` : `${back}new/${chosenQuery(view, editing.state)}`}
          kept
          files={Object.values(view.fields ?? {}).some(({ file }) => file)}
        >
          <ErrorSummary
            errors={errors}
            shown={inOrder(view, fields)}
            labels={labelsOf(fields)}
          />
          {conflict && changing ? await conflictTable(call, view, { state: editing.state, object }) : null}
          {version === undefined ? null : <input type="hidden" name="version" value={version} />}
          {/* Enter in a field activates the first button of a form, which must not change a filter (HTML §4.10.21.2). */}
          {Object.values(view.fields ?? {}).some(({ picker }) => picker !== undefined)
            ? <FirstButton />
            : null}
          {await formControls(call, view, { ...editing, fields })}
          {editing.preview === undefined ? null : (
            <>
              {editing.preview}
              <input type="hidden" name={SHOWN} value={hashOf(editing.state)} />
            </>
          )}
          {/* The button of the expected step comes first. */}
          <div class="form-actions">
            <button type="submit">
              {conflict ? "Save my version" : changing ? "Save" : `Create ${nounOf(resource)}`}
            </button>
            {slots.preview === undefined || changing
              ? null
              : (
                <button type="submit" name={PREVIEW} value="true" class="secondary">
                  {slots.preview.label}
                </button>
              )}
            <a href={back}>Cancel</a>
          </div>
        </Form>
      </div>
    </>,
  );
}

/** Removes private keys from the values of a form. */
function withoutPrivateKeys(state: FormState): FormState {
  return Object.fromEntries(
    Object.entries(state).map(([name, value]) => [
      name,
      typeof value === "string" ? withoutPrivateKey(value) : value.map(withoutPrivateKey),
    ]),
  );
}

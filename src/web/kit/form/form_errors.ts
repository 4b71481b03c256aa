/** Errors of a submitted form by field. */

import { addError, type FieldErrors } from "../../../base/errors.ts";
import { CUSTOM_COLUMN, CUSTOM_PREFIX, type Field, isCustomMember, shapeOf } from "../../../resource/mod.ts";
import type { Call } from "../../call.ts";
import { fieldErrorsOf, withLines, withoutSetting } from "../../messages.ts";
import { isUntouched } from "./form_sections.tsx";
import { chosenIn, formFields, listOf } from "./form_state.ts";
import { withJoinedErrors } from "../reference/generic_reference.ts";
import { byPart, isPart } from "./parts.ts";
import type { FormState, View } from "../view.ts";

/**
 * Returns the messages of an error by field; messages about list elements begin with their position. Throws other
 * errors.
 */
export function formErrorsOf(
  call: Call,
  view: View,
  { state, error }: { state: FormState; error: unknown },
): FieldErrors {
  const fields = formFields(call, view, chosenIn(view, state));
  const given = withJoinedErrors(view.resource, byCustomField(forUser(call, fieldErrorsOf(error))));
  const errors = view.parts === undefined ? given : byPart(given, view.parts, fields.filter(isPart));
  for (const field of fields) {
    const texts = Object.hasOwn(errors, field.name) ? errors[field.name] : undefined;
    if (texts === undefined || !["list", "references"].includes(shapeOf(field).kind)) continue;
    errors[field.name] = withLines(texts, linesOf(field, state[field.name] ?? ""));
  }
  return withAlternatives(view, { fields, state, errors });
}

/** Rewrites messages that name a setting for users who cannot see the settings. */
function forUser({ ctx }: Call, errors: FieldErrors): FieldErrors {
  if (ctx.actor.isSuperuser) return { ...errors };
  return Object.fromEntries(
    Object.entries(errors).map((
      [field, texts],
    ) => [field, Array.isArray(texts) ? texts.map(withoutSetting) : texts]),
  );
}

/**
 * Returns whether a form is shown again before the request. A text that is invalid JSON, or the name of no object, is
 * sent as it is, so that the request is refused with the errors of all fields; a value with any other error must not be
 * sent.
 */
export function isUnsent(
  call: Call,
  view: View,
  { state, errors }: { state: FormState; errors: FieldErrors },
): boolean {
  const names = Object.keys(errors);
  const fields = formFields(call, view, chosenIn(view, state));
  return names.some((name) => {
    const field = fields.find((one) => one.name === name);
    if (field === undefined || isCustomMember(field) || isPart(field)) return true;
    // A field that accepts any value would store the text.
    return !["object", "reference", "references"].includes(shapeOf(field).kind) ||
      field.notation === "headers" ||
      field.input?.safeParse(state[name]).success !== false;
  });
}

/** Replaces the errors of an empty section by one at the field that can be filled in instead. */
function withAlternatives(
  { form: { sections = [] } = {} }: View,
  { fields, state, errors }: { fields: readonly Field[]; state: FormState; errors: FieldErrors },
): FieldErrors {
  for (const { title, fields: names, insteadOf: field } of sections) {
    if (field === undefined || !isUntouched(state[field], undefined)) continue;
    const own = fields.filter(({ name }) => names.includes(name));
    const isEmpty = own.every(({ name, fallback }) => isUntouched(state[name], fallback));
    if (!isEmpty || !names.some((name) => Object.hasOwn(errors, name))) continue;
    for (const name of names) delete errors[name];
    errors[field] = [`Paste it, or fill in the fields under "${title}".`];
  }
  return errors;
}

/** Moves messages about custom fields (`room: Expected …`) to their own controls. */
function byCustomField(errors: FieldErrors): FieldErrors {
  const { [CUSTOM_COLUMN]: texts = [], ...others } = errors;
  for (const text of texts) {
    const [, name, message] = /^([a-z0-9_]+): (.*)$/s.exec(text) ?? [];
    if (name === undefined || message === undefined) addError(others, CUSTOM_COLUMN, text);
    else addError(others, `${CUSTOM_PREFIX}${name}`, message);
  }
  return others;
}

/** Returns the line numbers of a field's elements if each is on a line (empty lines count), else none. */
function linesOf(field: Field, given: string | readonly string[]): readonly number[] {
  if (typeof given !== "string") return [];
  const lines = given.split("\n").flatMap((line, index) => line.trim() === "" ? [] : [index + 1]);
  return lines.length === listOf(field, given).length ? lines : [];
}

/** Errors of a submitted form by field. */

import type { FieldErrors } from "../../../base/errors.ts";
import { CUSTOM_COLUMN, CUSTOM_PREFIX, type Field, isCustomMember, shapeOf } from "../../../resource/mod.ts";
import type { Call } from "../../call.ts";
import { findingsOf, messagesByField } from "../../messages.ts";
import { isUntouched } from "./controls.tsx";
import { chosenIn, formFields, listOf } from "./form_state.ts";
import { withJoinedErrors } from "../reference/reference_text.ts";
import { isPart } from "./parts.ts";
import type { FormState, View } from "../view.ts";

/**
 * Returns the messages of an error by field; those about elements of a list begin with their line. Throws other
 * errors.
 */
export function formErrorsOf(
  call: Call,
  view: View,
  { state, error }: { state: FormState; error: unknown },
): FieldErrors {
  const fields = formFields(call, view, chosenIn(view, state));
  const parts = fields.filter(isPart);
  const findings = findingsOf(error).map((one) => {
    const [name, ...members] = one.path ?? [];
    if (typeof name === "string" && one.field === CUSTOM_COLUMN) {
      return { ...one, field: `${CUSTOM_PREFIX}${name}`, path: members };
    }
    const part = one.field === view.parts?.field ? parts.find((each) => each.part === name) : undefined;
    const placed = part === undefined ? one : { ...one, field: part.name, path: members };
    const [place, ...path] = placed.path ?? [];
    const field = fields.find((each) => each.name === placed.field);
    const isList = field !== undefined && ["list", "references"].includes(shapeOf(field).kind);
    const line = isList && typeof place === "number"
      ? linesOf(field, state[field.name] ?? "")[place]
      : undefined;
    const rest = path.length === 0 ? "" : `, ${path.map(String).join(".")}`;
    return line === undefined ? placed : { ...placed, path: [`Line ${line}${rest}`] };
  });
  const errors = withJoinedErrors(view.resource, messagesByField(findings, call.ctx.actor));
  return withAlternatives(view, { fields, state, errors });
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
      field.shown?.notation === "headers" ||
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

/** Returns the line numbers of a field's elements if each is on a line (empty lines count), else none. */
function linesOf(field: Field, given: string | readonly string[]): readonly number[] {
  if (typeof given !== "string") return [];
  const lines = given.split("\n").flatMap((line, index) => line.trim() === "" ? [] : [index + 1]);
  return lines.length === listOf(field, given).length ? lines : [];
}

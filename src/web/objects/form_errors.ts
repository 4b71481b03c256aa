/** What is wrong with a form that was sent, at its fields and in their words. */

import type { FieldErrors } from "../../base/errors.ts";
import { type Field, shapeOf } from "../../resource/mod.ts";
import { entryPosition, fieldErrorsOf, withPositions } from "../messages.ts";
import { formFields, listOf } from "./form_state.ts";
import type { FormState, View } from "./view.ts";

/** The messages of a refusal by field; those about parts of a list name the part. Throws what is no refusal. */
export function formErrorsOf(view: View, state: FormState, error: unknown): FieldErrors {
  const errors: FieldErrors = { ...fieldErrorsOf(error) };
  for (const field of formFields(view)) {
    const texts = Object.hasOwn(errors, field.name) ? errors[field.name] : undefined;
    if (texts === undefined || !["list", "references"].includes(shapeOf(field).kind)) continue;
    errors[field.name] = withPositions(texts, placesIn(field, state[field.name] ?? ""));
  }
  return errors;
}

/** How the parts of a field are called: lines where each is written on one; empty lines are counted, but no parts. */
function placesIn(field: Field, given: string | readonly string[]): (index: number) => string {
  if (typeof given !== "string") return entryPosition;
  const lines = given.split("\n").flatMap((line, index) => line.trim() === "" ? [] : [index + 1]);
  return lines.length === listOf(field, given).length ? (index) => `Line ${lines[index]}` : entryPosition;
}

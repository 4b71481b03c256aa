/** The kinds of fields. */

export { columnOf, type FieldOptions } from "./column.ts";
export { derived, expression } from "./derived.ts";
export { NOT_BLANK, quote, REQUIRED } from "./messages.ts";
export { many, reference, type ReferenceInput } from "./reference.ts";
export { boolean, datetime, id, integer, json, list, timestamps } from "./scalar.ts";
export { longText } from "./side.ts";
export { choice, hex, plainHex, text, textSchema } from "./text.ts";

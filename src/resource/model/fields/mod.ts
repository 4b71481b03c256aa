/** The kinds of fields. */

export { columnOf, type FieldOptions } from "./column.ts";
export { derived, expression } from "./derived.ts";
export { asDocumented, DATETIME, documented, NOT_BLANK_PATTERN, TEXT_PATTERN } from "./documented.ts";
export { effectiveJson, elementFilter } from "./elements.ts";
export { generic, idReference, nested, targetFilter } from "./generic.ts";
export { linksOf } from "./links.ts";
export { NOT_BLANK, NOT_NULL, quote, REQUIRED, unknownField, wants } from "./messages.ts";
export { many, parseNested, reference, type ReferenceInput } from "./reference.ts";
export { boolean, datetime, id, integer, json, list, timestamps } from "./scalar.ts";
export { longColumn, longText } from "./side.ts";
export { choice, hex, plainHex, text } from "./text.ts";

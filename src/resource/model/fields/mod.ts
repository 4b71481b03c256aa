/** The kinds of fields. */

export { columnOf } from "../../../filters/mod.ts";
export { masked, shownColumn, unrecorded } from "./column.ts";
export { aliasOf, derived, expression } from "./derived.ts";
export { DATETIME, documented, NOT_BLANK_PATTERN, toJsonSchema } from "./documented.ts";
export { choicesField, effectiveJson, elementFilter } from "./elements.ts";
export { generic, idReference, nested, targetFilter, targetText } from "./generic.ts";
export { type Labelled, labelledChoice } from "./labelled.ts";
export { BRIEF, linksOf, many, nestedJson, parseNested, reference } from "./reference.ts";
export { choiceError, expectedError, missing, quote, unexpected, unknownField } from "./messages.ts";
export { boolean, datetime, integer, json, list } from "./scalar.ts";
export { hashOfText, longColumn, sideTableText } from "./side.ts";
export { choice, hex, plainHex, text, textSchema } from "./text.ts";

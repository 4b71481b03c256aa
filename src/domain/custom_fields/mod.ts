/**
 * Custom fields: definitions and choice sets. Their values are part of the objects (`src/resource/custom/`).
 */

export { customFields } from "./custom_fields.ts";
export { customFieldChoiceSets } from "./choice_sets.ts";
export { CUSTOMIZED_TYPES } from "./targets.ts";

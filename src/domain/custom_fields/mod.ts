/**
 * Custom fields: definitions and choice sets. Their values are part of the objects (`src/resource/custom/`).
 */

export { customFieldChoiceSets, customFields } from "./custom_fields.ts";
export { CUSTOMIZED_TYPES } from "./targets.ts";

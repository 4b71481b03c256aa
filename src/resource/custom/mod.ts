/** Custom fields: their definitions, values, filters and validation. */

export {
  allCustomFields,
  CUSTOM_TYPES,
  type CustomField,
  customFieldsOf,
  type CustomType,
  forgetCustomFields,
  refreshCustomFields,
} from "./definitions.ts";
export { CUSTOM_COLUMN, CUSTOM_PREFIX } from "./filters.ts";
export {
  type CustomMember,
  customMembersOf,
  isCustomMember,
  memberValue,
  visibleMembersOf,
} from "./members.ts";
export { checkCustomValue, type ValueRules } from "./validate.ts";

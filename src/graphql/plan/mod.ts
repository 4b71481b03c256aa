/** Plans queries. */

export { queryRefused } from "./errors.ts";
export type { FormMember, ObjectForm } from "./object_form.ts";
export { planQuery, type QueryPlan, type RootPlan } from "./plan.ts";
export { checkDocumentLimits, checkTextLimits, checkVariableLimits } from "./check_limits.ts";

/** Plans queries. */

export { queryRefused } from "./errors.ts";
export { planQuery, type QueryPlan, type RootPlan } from "./plan.ts";
export { checkDocumentLimits, checkTextLimits, checkVariableLimits } from "./check_limits.ts";

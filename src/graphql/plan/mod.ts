/** Planning of queries. */

export { queryRefused } from "./errors.ts";
export { type Plan, planQuery, type RootPlan } from "./plan.ts";
export { checkDocumentLimits, checkTextLimits, checkVariableLimits } from "./check_limits.ts";

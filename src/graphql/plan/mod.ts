/** Planning of queries. */

export { refused } from "./errors.ts";
export { type Plan, planQuery, type RootPlan } from "./plan.ts";
export { screenDocument, screenText, screenVariables } from "./screen.ts";

/** The schema. */

export { type Answers, buildModel, type Model } from "./build.ts";
export { ACROSS, namesOfFilters } from "./filters.ts";
export type { SchemaField } from "./members.ts";
export { SCHEMA_RESOURCES, type SchemaResource } from "./names.ts";
export { schemaText } from "./print.ts";
export { outputValue } from "./values.ts";

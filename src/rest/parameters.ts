/** Documentation of query parameters. */

import { addFinding, type Finding, finding } from "../base/findings.ts";
import { invalid } from "../base/errors.ts";
import { type FilterName, filterNames } from "../filters/mod.ts";
import { ALWAYS_KNOWN, type Resource } from "../resource/mod.ts";
import type { Parameter } from "./operation.ts";

const SHAPING: readonly Parameter[] = [
  { name: "brief", description: "Only the brief form of each object.", schema: { type: "boolean" } },
  {
    name: "fields",
    description: "Only these fields, separated by commas.",
    schema: { type: "string" },
    repeatable: true,
  },
  {
    name: "omit",
    description: "All but these fields, separated by commas.",
    schema: { type: "string" },
    repeatable: true,
  },
];

/** Refuses unknown query parameters. Errors: invalid. */
export function refuseUnknown(query: URLSearchParams, known: readonly string[] = []): void {
  const errors: Finding[] = [];
  for (const name of new Set(query.keys())) {
    if (known.includes(name) || ALWAYS_KNOWN.includes(name)) continue;
    addFinding(errors, name, finding("unknown_parameter", { only: known.length > 0 ? known : ["none"] }));
  }
  if (errors.length > 0) throw invalid(errors);
}

/** Returns the parameters of a detail request. */
export function detailParameters(): Parameter[] {
  return [...SHAPING];
}

/** The parameters of a page. */
export const PAGING: readonly Parameter[] = [
  {
    name: "limit",
    description: "Maximum number of rows; 0 for the largest page.",
    schema: { type: "integer", minimum: 0 },
  },
  { name: "offset", description: "Number of rows to skip.", schema: { type: "integer", minimum: 0 } },
];

/** Returns the parameters of a list: paging, order, fields and filters. */
export function listParameters(resource: Resource): Parameter[] {
  return [
    ...PAGING,
    {
      name: "start",
      description: "Cursor paging: rows with this id or a larger one, without `count`.",
      schema: { type: "integer", minimum: 0 },
    },
    { name: "ordering", description: "Fields to order by, `-` for descending.", schema: { type: "string" } },
    ...SHAPING,
    ...(Object.values(resource.fields).some((field) => field.long)
      ? [{ name: "include_pem", description: "Include the long texts.", schema: { type: "boolean" } }]
      : []),
    ...filterParameters(resource),
  ];
}

/** Returns the filters of a resource. */
export function filterParameters(resource: Resource): Parameter[] {
  return [...filterNames(resource.map)].map((filter) => ({
    name: filter.name,
    description: filter.description,
    schema: schemaOf(filter),
    repeatable: filter.repeatable,
  }));
}

/** Returns the schema of a filter. Many filters accept `null`, so a type alone would be too strict. */
function schemaOf(filter: FilterName): unknown {
  switch (filter.type) {
    case "integer":
      return { type: ["integer", "string"] };
    case "boolean":
      return { type: "boolean" };
    case "choice":
      return { type: "string", examples: filter.choices };
    case "datetime":
      return { type: "string", examples: ["2026-11-20T09:22:19Z", "2026-11-20"] };
    case "hex":
      return { type: "string", pattern: "^[0-9A-Fa-f:]+$" };
    default:
      return { type: "string" };
  }
}

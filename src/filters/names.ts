/** Parses the names of filters: relations, a field and a suffix, joined by two underscores. */

import { MAX_FILTER_DEPTH } from "./limits.ts";
import type { FilterOperator } from "./ast.ts";
import type { FieldMap, FilterField } from "./field_map.ts";
import { suffixOn } from "./operators.ts";

/** A parsed name. */
export interface ResolvedName {
  /** Names of the relations and of the field, as in the field maps. */
  readonly path: readonly string[];
  readonly field: FilterField;
  /** `tenant_id` rather than `tenant`. */
  readonly byId: boolean;
  /** Undefined without suffix; its meaning depends on the grammar. */
  readonly operator: FilterOperator | undefined;
  readonly negated: boolean;
}

/** A field and its name in the map. */
interface FoundField {
  readonly name: string;
  readonly field: FilterField;
  readonly byId: boolean;
}

/** Returns the field with a name. Inherited properties such as `constructor` are not fields. */
export function fieldByName(map: FieldMap, name: string): FilterField | undefined {
  return Object.hasOwn(map.fields, name) ? map.fields[name] : undefined;
}

/** Returns the field map of a relation's target; undefined for other fields. */
export function targetMapOf(field: FilterField): FieldMap | undefined {
  return field.kind === "reference" || field.kind === "many" ? field.target() : undefined;
}

/** Whether a relation's target has no other key than its id, so that the relation's name compares the id. */
export function isKeyless(field: FilterField): boolean {
  return (field.kind === "reference" || field.kind === "many") && field.keys.length === 0;
}

/** Finds the field for a segment: its name, `<relation>_id`, or the plural of a many-relation. */
function matchSegment(map: FieldMap, segment: string): FoundField | undefined {
  const own = fieldByName(map, segment);
  if (own !== undefined) return { name: segment, field: own, byId: false };
  if (segment.endsWith("_id")) {
    const name = segment.slice(0, -3);
    const relation = fieldByName(map, name);
    if (relation !== undefined && targetMapOf(relation) !== undefined) {
      return { name, field: relation, byId: true };
    }
  }
  for (const [name, field] of Object.entries(map.fields)) {
    if (field.kind === "many" && field.plural === segment) return { name, field, byId: false };
  }
  return undefined;
}

/** Parses the name of a filter; returns undefined for an unknown one. */
export function resolveName(map: FieldMap, name: string): ResolvedName | undefined {
  const segments = name.split("__");
  // Relations, the field, a suffix.
  if (segments.length > MAX_FILTER_DEPTH + 2) return undefined;
  const path: string[] = [];
  let current = map;
  for (const [index, segment] of segments.entries()) {
    const found = matchSegment(current, segment);
    if (found === undefined) return undefined;
    path.push(found.name);
    const { field, byId } = found;
    const next = segments[index + 1];
    if (next === undefined) return { path, field, byId, operator: undefined, negated: false };
    const target = byId ? undefined : targetMapOf(field);
    if (target !== undefined && matchSegment(target, next) !== undefined) {
      if (path.length > MAX_FILTER_DEPTH) return undefined;
      current = target;
      continue;
    }
    const suffix = suffixOn(field, next);
    if (suffix === undefined || index + 2 < segments.length) return undefined;
    return { path, field, byId, ...suffix };
  }
  return undefined;
}

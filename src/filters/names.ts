/** Reads the name of a filter: fields, relations crossed, and a suffix, joined by two underscores. */

import { MAX_FILTER_DEPTH } from "../base/limits.ts";
import type { FilterOperator } from "./ast.ts";
import type { FieldMap, FilterField } from "./field_map.ts";
import { suffixOn } from "./operators.ts";

/** A name that stands for something in a field map. */
export interface ResolvedName {
  /** Field names as the maps have them, one for each relation crossed and the field itself. */
  readonly path: readonly string[];
  readonly field: FilterField;
  /** `tenant_id` rather than `tenant`. */
  readonly byId: boolean;
  /** Undefined when the name has no suffix: the grammar knows what that means. */
  readonly operator: FilterOperator | undefined;
  readonly negated: boolean;
}

/** A field under the name by which a filter calls it. */
interface FoundField {
  readonly name: string;
  readonly field: FilterField;
  readonly byId: boolean;
}

/** The field of a map with this name; own names only, so that `constructor` is no field. */
export function fieldByName(map: FieldMap, name: string): FilterField | undefined {
  return Object.hasOwn(map.fields, name) ? map.fields[name] : undefined;
}

/** The map a relation leads to; undefined for other fields. */
export function targetOf(field: FilterField): FieldMap | undefined {
  return field.kind === "reference" || field.kind === "many" ? field.target() : undefined;
}

/** Whether a relation's target has no key but its id, so that its bare name can mean nothing else. */
export function isKeyless(field: FilterField): boolean {
  return (field.kind === "reference" || field.kind === "many") && field.keys.length === 0;
}

/** The field that one segment means: its own name, `<relation>_id`, or the plural of a many-relation. */
function matchSegment(map: FieldMap, segment: string): FoundField | undefined {
  const own = fieldByName(map, segment);
  if (own !== undefined) return { name: segment, field: own, byId: false };
  if (segment.endsWith("_id")) {
    const name = segment.slice(0, -3);
    const relation = fieldByName(map, name);
    if (relation !== undefined && targetOf(relation) !== undefined) {
      return { name, field: relation, byId: true };
    }
  }
  for (const [name, field] of Object.entries(map.fields)) {
    if (field.kind === "many" && field.plural === segment) return { name, field, byId: false };
  }
  return undefined;
}

/** What a filter's name stands for; undefined when it stands for nothing. */
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
    const target = byId ? undefined : targetOf(field);
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

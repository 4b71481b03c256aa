/** Members of a resource: its values, its references, and the objects that refer to it. */

import {
  type Field,
  type ListRelation,
  referrersOf,
  type Relation,
  type Resource,
} from "../../resource/mod.ts";
import { backName, SCHEMA_RESOURCES, type SchemaResource, schemaResourceOf } from "./names.ts";

/** A field of an object type. */
export type SchemaField =
  & { readonly name: string; readonly description: string }
  & (
    | { readonly kind: "value"; readonly field: Field | undefined }
    /** An object of one of the targets. `union` if the field may refer to any of them. */
    | {
      readonly kind: "ref";
      readonly relation: Exclude<Relation, ListRelation>;
      readonly targets: readonly SchemaResource[];
      readonly union: boolean;
    }
    | { readonly kind: "list"; readonly relation: ListRelation; readonly target: SchemaResource }
    | { readonly kind: "total"; readonly relation: ListRelation; readonly target: SchemaResource }
  );

/** The members of an object type by name. */
function schemaFieldsOf({ resource }: SchemaResource): ReadonlyMap<string, SchemaField> {
  const members = [
    ...Object.values(resource.fields).filter((field) => !field.writeOnly && !field.shown?.alias).flatMap(
      fieldMembers,
    ),
    ...COMMON,
    ...backMembers(resource),
  ];
  const byName = new Map(members.map((member) => [member.name, member]));
  if (byName.size < members.length) throw new Error(`Two members of "${resource.objectType}" share a name`);
  return byName;
}

const COMMON: readonly SchemaField[] = [
  { kind: "value", name: "url", description: "Address of the object in the REST API.", field: undefined },
  { kind: "value", name: "display", description: "Short text that names the object.", field: undefined },
];

function fieldMembers(field: Field): SchemaField[] {
  const { name, description, refers: { targets, link } = {} } = field;
  if (targets !== undefined) return genericMembers(field, targets);
  const target = (field.refers?.target ?? field.refers?.shows)?.();
  if (target === undefined) return [{ kind: "value", name, description, field }];
  const entry = schemaResourceOf(target);
  if (entry === undefined) return [];
  if (link !== undefined) {
    return listMembers({ name, description, relation: { kind: "many", target, link }, target: entry });
  }
  return [{
    kind: "ref",
    name,
    description,
    relation: { kind: "one", field: name, target },
    targets: [entry],
    union: false,
  }];
}

/**
 * Returns the union, and a member for each of its types: `assigned_object`, and `device`, which is null for
 * other types.
 */
function genericMembers({ name, description }: Field, resources: readonly Resource[]): SchemaField[] {
  const targets = resources.map(schemaResourceOf).filter((entry) => entry !== undefined);
  const some = (member: string, entries: readonly SchemaResource[], union: boolean): SchemaField => ({
    kind: "ref",
    name: member,
    description: union ? description : `${description} Null if it is not a ${entries[0]?.resource.label}.`,
    relation: { kind: "any", field: name, targets: entries.map((entry) => entry.resource) },
    targets: entries,
    union,
  });
  return [some(name, targets, true), ...targets.map((entry) => some(entry.name, [entry], false))];
}

function backMembers(target: Resource): SchemaField[] {
  return referrersOf(target).flatMap(({ resource, field, column, type }) => {
    const entry = schemaResourceOf(resource);
    if (entry === undefined) return [];
    return listMembers({
      name: backName(entry, field.name, target),
      description: `The ${resource.labelPlural} whose \`${field.name}\` this is.`,
      relation: { kind: "back", target: resource, column, ...(type === undefined ? {} : { type }) },
      target: entry,
    });
  });
}

function listMembers(
  { name, description, relation, target }: {
    name: string;
    description: string;
    relation: ListRelation;
    target: SchemaResource;
  },
): SchemaField[] {
  return [
    { kind: "list", name, description, relation, target },
    {
      kind: "total",
      name: `${name}_total`,
      description: `Number of rows: ${description}`,
      relation,
      target,
    },
  ];
}

/** Returns the members of all types, by the name of the type. */
export function allMembers(): ReadonlyMap<string, ReadonlyMap<string, SchemaField>> {
  return new Map(SCHEMA_RESOURCES.map((entry) => [entry.type, schemaFieldsOf(entry)]));
}

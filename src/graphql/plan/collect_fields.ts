/** Collects the fields that a selection requests from a type, as execution would (GraphQL §6.3.2). */

import {
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  getDirectiveValues,
  type getVariableValues,
  GraphQLIncludeDirective,
  GraphQLSkipDirective,
  Kind,
  type OperationDefinitionNode,
  type SelectionNode,
  type SelectionSetNode,
} from "graphql";

/** The type of variables in graphql-js. */
export type Variables = NonNullable<ReturnType<typeof getVariableValues>["variableValues"]>;

/** Inputs of collecting the fields of a query. */
export interface Query {
  readonly operation: OperationDefinitionNode;
  readonly fragments: ReadonlyMap<string, FragmentDefinitionNode>;
  readonly variables: Variables;
}

/** Returns the fragments of a document by name. */
export function fragmentsOf(document: DocumentNode): Map<string, FragmentDefinitionNode> {
  return new Map(
    document.definitions.filter((one) => one.kind === Kind.FRAGMENT_DEFINITION).map((
      one,
    ) => [one.name.value, one]),
  );
}

/**
 * Returns the fields by their key in the response. Several with the same key are one field with all their
 * selections.
 * @param type The object type; a fragment on another type does not apply to it. For a union, each of its
 * types is passed separately, and `unions` contains the name of the union for fragments on it.
 */
export function collectFields(
  selections: readonly SelectionSetNode[],
  { type, unions, query }: { type: string; unions: readonly string[]; query: Query },
): Map<string, FieldNode[]> {
  const fields = new Map<string, FieldNode[]>();
  const visited = new Set<string>();
  const applies = (condition: string | undefined): boolean =>
    condition === undefined || condition === type || unions.includes(condition);
  const walk = (selection: SelectionNode): void => {
    if (!isIncluded(selection, query.variables)) return;
    if (selection.kind === Kind.FIELD) {
      const key = (selection.alias ?? selection.name).value;
      fields.set(key, [...fields.get(key) ?? [], selection]);
    } else if (selection.kind === Kind.INLINE_FRAGMENT) {
      if (applies(selection.typeCondition?.name.value)) selection.selectionSet.selections.forEach(walk);
    } else {
      const fragment = query.fragments.get(selection.name.value);
      if (fragment === undefined || visited.has(fragment.name.value)) return;
      visited.add(fragment.name.value);
      if (applies(fragment.typeCondition.name.value)) fragment.selectionSet.selections.forEach(walk);
    }
  };
  for (const { selections: each } of selections) each.forEach(walk);
  return fields;
}

function isIncluded(selection: SelectionNode, variables: Variables): boolean {
  if (selection.directives === undefined || selection.directives.length === 0) return true;
  const skip = getDirectiveValues(GraphQLSkipDirective, selection, variables);
  const include = getDirectiveValues(GraphQLIncludeDirective, selection, variables);
  return skip?.if !== true && include?.if !== false;
}

/** Limits of a query that are checked before it is parsed or validated. */

import {
  type DocumentNode,
  type FragmentDefinitionNode,
  type GraphQLError,
  Kind,
  Lexer,
  type SelectionSetNode,
  Source,
  TokenKind,
} from "graphql";
import {
  MAX_GRAPHQL_ALIASES,
  MAX_GRAPHQL_CHARS,
  MAX_GRAPHQL_DEPTH,
  MAX_GRAPHQL_NESTING,
  MAX_GRAPHQL_TOKENS,
  MAX_GRAPHQL_VARIABLE_DEPTH,
} from "../limits.ts";
import { fragmentsOf } from "./collect_fields.ts";
import { queryRefused } from "./errors.ts";

const OPENING: ReadonlySet<string> = new Set([TokenKind.BRACE_L, TokenKind.BRACKET_L, TokenKind.PAREN_L]);
const CLOSING: ReadonlySet<string> = new Set([TokenKind.BRACE_R, TokenKind.BRACKET_R, TokenKind.PAREN_R]);

/** Returns why a text must not be parsed; undefined if it may. Syntax errors are left to the parser. */
export function checkTextLimits(text: string): GraphQLError | undefined {
  if (text.length > MAX_GRAPHQL_CHARS) {
    return queryRefused(
      `Query is longer than ${MAX_GRAPHQL_CHARS} characters. Send values as variables.`,
      TOO_LARGE,
    );
  }
  const lexer = new Lexer(new Source(text));
  let [tokens, nesting] = [0, 0];
  try {
    while (lexer.advance().kind !== TokenKind.EOF) {
      if (++tokens > MAX_GRAPHQL_TOKENS) {
        return queryRefused(`Query has more than ${MAX_GRAPHQL_TOKENS} tokens.`, TOO_LARGE);
      }
      if (OPENING.has(lexer.token.kind)) nesting++;
      else if (CLOSING.has(lexer.token.kind)) nesting--;
      if (nesting > MAX_GRAPHQL_NESTING) {
        return queryRefused(`Query has more than ${MAX_GRAPHQL_NESTING} nested brackets.`, TOO_DEEP);
      }
    }
  } catch {
    return undefined;
  }
  return undefined;
}

const TOO_LARGE = { code: "QUERY_TOO_LARGE" };
const TOO_DEEP = { code: "QUERY_TOO_DEEP" };

/**
 * Returns why a parsed query must not be validated (too deep, too many aliases); undefined if it may.
 * Fragment cycles are left to validation.
 */
export function checkDocumentLimits(document: DocumentNode): GraphQLError | undefined {
  const count: DepthCount = { fragments: fragmentsOf(document), depths: new Map() };
  for (const definition of document.definitions) {
    if (definition.kind !== Kind.OPERATION_DEFINITION && definition.kind !== Kind.FRAGMENT_DEFINITION) {
      continue;
    }
    if (depthOf(definition.selectionSet, count) <= MAX_GRAPHQL_DEPTH) continue;
    return queryRefused(`Query has more than ${MAX_GRAPHQL_DEPTH} levels of fields.`, TOO_DEEP);
  }
  let aliases = 0;
  for (const definition of document.definitions) {
    if ("selectionSet" in definition && definition.selectionSet !== undefined) {
      aliases += aliasesIn(definition.selectionSet);
    }
  }
  if (aliases <= MAX_GRAPHQL_ALIASES) return undefined;
  return queryRefused(`Query has more than ${MAX_GRAPHQL_ALIASES} aliases.`, TOO_LARGE);
}

interface DepthCount {
  readonly fragments: ReadonlyMap<string, FragmentDefinitionNode>;
  /** By fragment, each counted once. A fragment that is being counted has zero. */
  readonly depths: Map<string, number>;
}

/** Counts levels of fields. Introspection fields are not counted, because a separate rule limits them. */
function depthOf({ selections }: SelectionSetNode, count: DepthCount): number {
  let deepest = 0;
  for (const selection of selections) {
    if (selection.kind === Kind.FIELD) {
      const inner = selection.selectionSet === undefined || selection.name.value.startsWith("__")
        ? 0
        : depthOf(selection.selectionSet, count);
      deepest = Math.max(deepest, inner + 1);
    } else if (selection.kind === Kind.INLINE_FRAGMENT) {
      deepest = Math.max(deepest, depthOf(selection.selectionSet, count));
    } else {
      deepest = Math.max(deepest, depthOfFragment(selection.name.value, count));
    }
  }
  return deepest;
}

function depthOfFragment(name: string, count: DepthCount): number {
  const known = count.depths.get(name);
  const fragment = count.fragments.get(name);
  if (known !== undefined || fragment === undefined) return known ?? 0;
  if (fragment.typeCondition.name.value.startsWith("__")) return 0;
  count.depths.set(name, 0);
  const depth = depthOf(fragment.selectionSet, count);
  count.depths.set(name, depth);
  return depth;
}

function aliasesIn({ selections }: SelectionSetNode): number {
  return selections.reduce(
    (sum, selection) =>
      sum + (selection.kind === Kind.FIELD && selection.alias !== undefined ? 1 : 0) +
      ("selectionSet" in selection && selection.selectionSet !== undefined
        ? aliasesIn(selection.selectionSet)
        : 0),
    0,
  );
}

/** Returns why variables are rejected; undefined if they are not. */
export function checkVariableLimits(variables: unknown): GraphQLError | undefined {
  const open: { value: unknown; depth: number }[] = [{ value: variables, depth: 0 }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { value, depth } = next;
    if (typeof value !== "object" || value === null) continue;
    if (depth > MAX_GRAPHQL_VARIABLE_DEPTH) {
      return queryRefused(`Variables have more than ${MAX_GRAPHQL_VARIABLE_DEPTH} nested levels.`, TOO_DEEP);
    }
    for (const inner of Object.values(value)) open.push({ value: inner, depth: depth + 1 });
  }
  return undefined;
}

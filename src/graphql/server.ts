/** GraphQL Yoga with this service's limits, query plans and errors. */

import { type DocumentNode, GraphQLError, NoSchemaIntrospectionCustomRule, validate } from "graphql";
import { createYoga, type Plugin, type YogaServerInstance } from "graphql-yoga";
import type { Context } from "../auth/mod.ts";
import { MAX_GRAPHQL_BODY_BYTES, MAX_GRAPHQL_ERRORS } from "./limits.ts";
import { type CutLists, rootResolver } from "./resolve.ts";
import { maskedError } from "./errors.ts";
import { checkDocumentLimits, checkTextLimits, checkVariableLimits, planQuery } from "./plan/mod.ts";
import type { Answers, Model } from "./schema/mod.ts";

/** Context that the handler passes to each execution. */
export interface ServerContext {
  readonly ctx: Context;
}

/** The GraphQL server of a schema. */
export type GraphqlServer = YogaServerInstance<{ certmgr: ServerContext }, Partial<Answers>>;

/** Creates the server of a schema. */
export function createServer(model: Model, { introspection }: { introspection: boolean }): GraphqlServer {
  return createYoga<{ certmgr: ServerContext }, Partial<Answers>>({
    schema: model.schema,
    graphqlEndpoint: "/graphql/",
    logging: false,
    cors: false,
    graphiql: false,
    landingPage: false,
    multipart: false,
    batching: false,
    maxRequestBodySize: MAX_GRAPHQL_BODY_BYTES,
    maskedErrors: {
      maskError: (error) => isOurs(error) ? error : maskedError(),
    },
    plugins: [limiting(introspection), planning(model, { introspection })],
  });
}

/**
 * Returns whether an error was made for the caller, by graphql-js or here. Messages of other errors may
 * reveal internals.
 */
function isOurs(error: unknown): error is GraphQLError {
  return error instanceof GraphQLError && (error.originalError === undefined || isOurs(error.originalError));
}

/**
 * Refuses queries that are too large before they are parsed, and those that are too deep before they are
 * validated.
 */
function limiting(introspection: boolean): Plugin {
  return {
    onParams({ params }): void {
      const { query, variables } = params;
      const fault = (typeof query === "string" ? checkTextLimits(query) : undefined) ??
        checkVariableLimits(variables);
      if (fault !== undefined) throw fault;
    },
    onValidate({ params, setResult, setValidationFn, addValidationRule }): void {
      const fault = checkDocumentLimits(params.documentAST as DocumentNode);
      if (fault !== undefined) return setResult([fault]);
      if (!introspection) addValidationRule(NoSchemaIntrospectionCustomRule);
      // Without introspection, suggestions would reveal the schema one name at a time.
      const options = { maxErrors: MAX_GRAPHQL_ERRORS, hideSuggestions: !introspection };
      setValidationFn(
        (schema, document, rules) => validate(schema, document, rules, options),
      );
    },
  };
}

/** Plans each query as a whole. Refuses queries that cost too much or that the caller may not execute. */
function planning(
  model: Model,
  { introspection }: { introspection: boolean },
): Plugin<object, { certmgr: ServerContext }> {
  return {
    onExecute({ args, executeFn, setExecuteFn, setResultAndStopExecution }): void {
      const { contextValue } = args;
      const { ctx } = (contextValue as unknown as { certmgr: ServerContext }).certmgr;
      const plan = planQuery(model, {
        document: args.document,
        operationName: args.operationName,
        variables: args.variableValues ?? {},
        suggestions: introspection,
        ctx,
      });
      if (Array.isArray(plan)) return setResultAndStopExecution({ errors: plan });
      if (plan === undefined) return;
      const cut: CutLists = new Map();
      const answer = rootResolver(ctx, plan, cut);
      Object.assign(contextValue, { answer });
      setExecuteFn(async (given) => {
        const result = await executeFn(given);
        return cut.size === 0 ? result : { ...result, extensions: { more: Object.fromEntries(cut) } };
      });
    },
  };
}

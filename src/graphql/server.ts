/** GraphQL Yoga with this service's limits, query plans and errors. */

import { type DocumentNode, GraphQLError, NoSchemaIntrospectionCustomRule, validate } from "graphql";
import { createYoga, type Plugin, type YogaServerInstance } from "graphql-yoga";
import type { Context } from "../auth/mod.ts";
import { AppError, stackOf } from "../base/errors.ts";
import { countObjects, TextBudget } from "../resource/mod.ts";
import { getTree, listTree } from "../resource/read/tree/mod.ts";
import { errorOf, maskedError } from "./errors.ts";
import { MAX_GRAPHQL_BODY_BYTES, MAX_GRAPHQL_ERRORS } from "./limits.ts";
import { checkDocumentLimits, checkTextLimits, checkVariableLimits } from "./plan/check_limits.ts";
import { planQuery, type QueryPlan, type RootPlan } from "./plan/plan.ts";
import type { Answers, Model } from "./schema/build.ts";

/**
 * Returns a function that answers each root field by its key, once. It throws errors that the client may see.
 */
function rootResolver(
  ctx: Context,
  plan: QueryPlan,
): (key: string) => Promise<unknown> {
  const budget = new TextBudget();
  const answers = new Map<string, Promise<unknown>>();
  const answer = async (key: string): Promise<unknown> => {
    const root = plan.get(key);
    if (root === undefined) throw new Error(`No plan for "${key}"`);
    try {
      return await read({ ctx, budget }, root);
    } catch (error) {
      if (error instanceof AppError) {
        if (error.code === "not_found") return null;
        throw errorOf(error);
      }
      ctx.log.log("error", "defect", { request_id: ctx.requestId, error: stackOf(error) });
      throw maskedError(ctx.requestId);
    }
  };
  return (key) => {
    const made = answers.get(key) ?? answer(key);
    answers.set(key, made);
    return made;
  };
}

function read(call: { ctx: Context; budget: TextBudget }, root: RootPlan): Promise<unknown> {
  switch (root.kind) {
    case "list":
      return listTree({ ...call, ...root });
    case "total":
      return countObjects({ ...call, ...root });
    case "one":
      return root.id === undefined
        ? Promise.resolve(null)
        : getTree({ ...call, objectQuery: root.objectQuery, id: root.id });
  }
}

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
    onExecute({ args, setResultAndStopExecution }): void {
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
      Object.assign(contextValue, { answer: rootResolver(ctx, plan) });
    },
  };
}

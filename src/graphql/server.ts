/** GraphQL Yoga with our limits, our plan and our errors. */

import { type DocumentNode, GraphQLError, NoSchemaIntrospectionCustomRule, validate } from "graphql";
import { createYoga, type Plugin, type YogaServerInstance } from "graphql-yoga";
import type { Context } from "../auth/mod.ts";
import { MAX_GRAPHQL_BODY_BYTES, MAX_GRAPHQL_ERRORS } from "../base/limits.ts";
import { answering } from "./answer.ts";
import { maskedError } from "./errors.ts";
import { planQuery, screenDocument, screenText, screenVariables } from "./plan/mod.ts";
import type { Answers, Model } from "./schema/mod.ts";

/** What the surface hands to each execution. */
export interface Asking {
  readonly ctx: Context;
}

/** The server. */
export type Server = YogaServerInstance<{ asking: Asking }, Partial<Answers>>;

/** Makes the server of a schema. */
export function createServer(model: Model, { introspection }: { introspection: boolean }): Server {
  return createYoga<{ asking: Asking }, Partial<Answers>>({
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
    plugins: [screening(introspection), planning(model, { introspection })],
  });
}

/** Errors that graphql-js or we made for the caller; all others tell of the inside. */
function isOurs(error: unknown): error is GraphQLError {
  return error instanceof GraphQLError && (error.originalError === undefined || isOurs(error.originalError));
}

/** Refuses what is too large, too deep or too much before it is parsed, and before it is validated. */
function screening(introspection: boolean): Plugin {
  return {
    onParams({ params }): void {
      const { query, variables } = params;
      const fault = (typeof query === "string" ? screenText(query) : undefined) ?? screenVariables(variables);
      if (fault !== undefined) throw fault;
    },
    onValidate({ params, setResult, setValidationFn, addValidationRule }): void {
      const fault = screenDocument(params.documentAST as DocumentNode);
      if (fault !== undefined) return setResult([fault]);
      if (!introspection) addValidationRule(NoSchemaIntrospectionCustomRule);
      // Without introspection, suggestions would reveal the schema name by name.
      const options = { maxErrors: MAX_GRAPHQL_ERRORS, hideSuggestions: !introspection };
      setValidationFn(
        ((schema, document, rules) => validate(schema, document, rules, options)) as typeof validate,
      );
    },
  };
}

/** Plans each query as a whole, and refuses it where it may not be run. */
function planning(
  model: Model,
  { introspection }: { introspection: boolean },
): Plugin<object, { asking: Asking }> {
  return {
    onExecute({ args, setResultAndStopExecution }): void {
      const { contextValue } = args;
      const { ctx } = (contextValue as unknown as { asking: Asking }).asking;
      const plan = planQuery(model, {
        document: args.document,
        operationName: args.operationName,
        variables: args.variableValues ?? {},
        suggestions: introspection,
        ctx,
      });
      if (Array.isArray(plan)) setResultAndStopExecution({ errors: plan });
      else Object.assign(contextValue, { answer: answering(ctx, plan ?? new Map()) });
    },
  };
}

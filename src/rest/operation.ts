/** The table that the REST API is made of: each operation once, for routing, for documentation, for tests. */

import { z } from "zod";
import type { Context } from "../auth/mod.ts";
import type { DomainOperation } from "../operation/mod.ts";
import type { Method } from "../resource/mod.ts";
import { json } from "./http.ts";

/** One request to an operation. */
export interface Call {
  readonly ctx: Context;
  readonly request: Request;
  readonly query: URLSearchParams;
  /** The `{id}` of the path; 0 where the path has none. */
  readonly id: number;
  /** Source address, for throttling and the log; null when not known. */
  readonly address: string | null;
  /** Reads the JSON body. */
  readonly json: () => Promise<unknown>;
  /** Reads the multipart body. */
  readonly form: () => Promise<FormData>;
}

/** A query parameter, as documented. */
export interface Parameter {
  readonly name: string;
  readonly description: string;
  readonly schema: unknown;
  readonly repeatable?: boolean;
  readonly required?: boolean;
}

/** What an answer looks like: a schema, the name of a shared one, or another media type. */
export interface Answer {
  readonly description: string;
  readonly schema?: z.ZodType | { readonly $ref: string };
  readonly mediaTypes?: readonly string[];
}

/** One method on one path. */
export interface Operation {
  readonly method: Method;
  /** `/api/…/{id}/`. */
  readonly path: string;
  readonly operationId: string;
  readonly summary: string;
  /** What the summary leaves out: what it needs, its limits, what is all or nothing. Whole sentences. */
  readonly description: string;
  readonly tag: string;
  /** Whether it is answered without credentials. */
  readonly anonymous?: boolean;
  readonly parameters?: readonly Parameter[];
  readonly request?: z.ZodType | { readonly $ref: string };
  /** The operation that parses the body by the same schema; absent where a resource does. */
  readonly runs?: DomainOperation;
  /** How the request's body is sent; JSON by default. */
  readonly requestType?: "multipart/form-data";
  readonly answers: Readonly<Record<number, Answer>>;
  readonly handle: (call: Call) => Promise<Response> | Response;
}

/** The members of a page of a list. */
export function pageOf<Item extends z.ZodType>(item: Item): {
  count: z.ZodInt;
  next: z.ZodNullable<z.ZodString>;
  previous: z.ZodNullable<z.ZodString>;
  results: z.ZodArray<Item>;
} {
  return {
    count: z.int(),
    next: z.string().nullable(),
    previous: z.string().nullable(),
    results: z.array(item),
  };
}

/** How an operation is offered by POST: its documentation, and what is particular about its answer. */
export interface Posted<Output> extends Pick<Operation, "operationId" | "summary" | "description"> {
  readonly tag?: string;
  readonly anonymous?: boolean;
  readonly requestType?: "multipart/form-data";
  /** Status of the answer; 200 by default. */
  readonly status?: number;
  /** Describes the answer. */
  readonly answer: string;
  /** Further answers, or other descriptions of this one. */
  readonly answers?: Readonly<Record<number, Answer>>;
  /** Makes the answer; JSON with `status` by default. */
  readonly respond?: (output: Output, call: Call) => Promise<Response> | Response;
}

/** Offers an operation by POST. Its schemas are the document's. */
export function post<Output>(path: string, runs: DomainOperation<Output>, how: Posted<Output>): Operation {
  const { status = 200, answer, answers, respond, ...described } = how;
  return {
    method: "POST",
    path,
    tag: "plugins/certmgr",
    ...described,
    request: runs.input,
    runs,
    answers: { [status]: { description: answer, schema: runs.output }, ...answers },
    handle: async (call) => {
      const { ctx, id, address } = call;
      const input = how.requestType === undefined ? await call.json() : partsOf(await call.form());
      const output = await runs({ ctx, id, input, address });
      return respond === undefined ? json(output, { status }) : await respond(output, call);
    },
  };
}

/** The parts of a form by name; a list where a name comes more than once. */
function partsOf(form: FormData): Record<string, unknown> {
  const names = [...new Set(form.keys())];
  return Object.fromEntries(names.map((name) => {
    const values = form.getAll(name);
    return [name, values.length === 1 ? values[0] : values];
  }));
}

/** Types of the table of operations, from which routing and documentation are generated. */

import { z } from "zod";
import type { Context } from "../auth/mod.ts";
import type { DomainOperation } from "../operation/mod.ts";
import type { Method } from "../resource/mod.ts";
import { jsonResponse } from "./http.ts";

/** A request to an operation. */
export interface Call {
  readonly ctx: Context;
  readonly request: Request;
  readonly query: URLSearchParams;
  /** The `{id}` of the path; 0 if the path has none. */
  readonly id: number;
  /** Client address, for rate limits and the log; null if unknown. */
  readonly address: string | null;
  /** Reads the JSON body. */
  readonly json: () => Promise<unknown>;
  /** Reads the multipart body. */
  readonly form: () => Promise<FormData>;
}

/** Documentation of a query parameter. */
export interface Parameter {
  readonly name: string;
  readonly description: string;
  readonly schema: unknown;
  readonly repeatable?: boolean;
  readonly required?: boolean;
}

/** Documentation of a response: a schema, a reference to a shared one, or another media type. */
export interface ResponseDoc {
  readonly description: string;
  readonly schema?: z.ZodType | { readonly $ref: string };
  readonly mediaTypes?: readonly string[];
}

/** An operation: a method at a path. */
export interface Operation {
  readonly method: Method;
  /** `/api/…/{id}/`. */
  readonly path: string;
  readonly operationId: string;
  readonly summary: string;
  /** Permissions, limits and further behavior, in complete sentences. */
  readonly description: string;
  readonly tag: string;
  /** Whether it needs no credentials. */
  readonly anonymous?: boolean;
  /** Describes its query parameters: thousands for a list, so only the API document asks. */
  readonly parameters?: () => readonly Parameter[];
  readonly request?: z.ZodType | { readonly $ref: string };
  /** The operation that parses the body with `request`; absent if a resource parses it. */
  readonly runs?: DomainOperation;
  /** How the request's body is sent; JSON by default. */
  readonly requestType?: "multipart/form-data";
  readonly responses: Readonly<Record<number, ResponseDoc>>;
  readonly handle: (call: Call) => Promise<Response> | Response;
}

/** Returns the members of a page's schema. */
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

/** Registers an operation under GET, by default with the tag of the service. */
export function get(
  path: string,
  described: Omit<Operation, "method" | "path" | "tag"> & Partial<Pick<Operation, "tag">>,
): Operation {
  return { method: "GET", path, tag: "plugins/certmgr", ...described };
}

/** Documentation and response of an operation that is called by POST. */
export interface PostOptions<Output> extends Pick<Operation, "operationId" | "summary" | "description"> {
  readonly tag?: string;
  readonly anonymous?: boolean;
  readonly requestType?: "multipart/form-data";
  /** Status of the response; 200 by default. */
  readonly status?: number;
  /** Describes the response. */
  readonly response: string;
  /** Additional responses, or other descriptions of the standard ones. */
  readonly responses?: Readonly<Record<number, ResponseDoc>>;
  /** Returns the response; by default JSON with `status`. */
  readonly respond?: (output: Output, call: Call) => Promise<Response> | Response;
}

/** Registers an operation under POST. The documentation contains its schemas. */
export function post<Output>(
  path: string,
  runs: DomainOperation<Output>,
  how: PostOptions<Output>,
): Operation {
  const { status = 200, response, responses, respond, ...described } = how;
  return {
    method: "POST",
    path,
    tag: "plugins/certmgr",
    ...described,
    request: runs.input,
    runs,
    responses: { [status]: { description: response, schema: runs.output }, ...responses },
    handle: async (call) => {
      const { ctx, id, address } = call;
      const input = how.requestType === undefined ? await call.json() : partsOf(await call.form());
      const output = await runs({ ctx, id, input, address });
      return respond === undefined ? jsonResponse(output, { status }) : await respond(output, call);
    },
  };
}

/** Returns the parts of a form by name. Repeated names become lists. */
function partsOf(form: FormData): Record<string, FormDataEntryValue | FormDataEntryValue[]> {
  const names = [...new Set(form.keys())];
  return Object.fromEntries(names.map((name) => {
    const values = form.getAll(name);
    const [only] = values;
    return [name, only !== undefined && values.length === 1 ? only : values];
  }));
}

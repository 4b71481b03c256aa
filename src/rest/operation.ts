/** The table that the REST surface is made of: each operation once, for routing, for documentation, for tests. */

import type { z } from "zod";
import type { Context } from "../auth/mod.ts";
import type { Method } from "../resource/mod.ts";

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
  /** How the request's body is sent; JSON unless said. */
  readonly requestType?: "multipart/form-data";
  readonly answers: Readonly<Record<number, Answer>>;
  readonly handle: (call: Call) => Promise<Response> | Response;
}

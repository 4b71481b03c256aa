/** What a page is told, and the form of the table of pages. */

import type { Context, Session } from "../auth/mod.ts";
import type { Client, Envelope } from "../app_options.ts";

/** Light, dark, or whatever the browser prefers. */
export type Theme = "auto" | "light" | "dark";

/** A sentence for the next page: what has just been done. */
export interface Flash {
  readonly kind: "success" | "error";
  readonly text: string;
}

/** A request to a page, whoever makes it. */
export interface PublicCall {
  /** Without an actor's rights. */
  readonly deps: Omit<Context, "actor">;
  readonly envelope: Envelope;
  readonly client: Client;
  readonly request: Request;
  readonly url: URL;
  readonly query: URLSearchParams;
  /** The variable parts of the path, by name. */
  readonly params: Readonly<Record<string, string>>;
  /** What was posted; empty for GET. */
  readonly form: FormData;
  readonly theme: Theme;
  readonly flash: Flash | undefined;
}

/** A request to a page by a user who has signed in. Its form has been found to be one of this session's own. */
export interface Call extends PublicCall {
  readonly ctx: Context;
  readonly session: Session;
}

/** One page, or what one form of it does. */
export interface Route {
  readonly method: "GET" | "POST";
  /** In Hono's notation: `/tenants/:id{[0-9]+}/`. */
  readonly path: string;
  readonly handle: (call: Call) => Response | Promise<Response>;
}

/** The number in the path's `:id`. Larger ones than any id are ids of nothing. */
export function idOf({ params }: Call): number {
  const id = Number(params.id);
  return Number.isSafeInteger(id) ? id : 0;
}

/** The pattern of a number in a path. */
export const ID = ":id{[0-9]+}";

/** The request that a page receives, and the entry of a page in the table of routes. */

import type { Context, Session } from "../auth/mod.ts";
import type { Client } from "../app_options.ts";
import type { RequestBody } from "../base/body_bytes.ts";

/** A message that the next page shows: the result of an action. */
export interface Flash {
  readonly kind: "success" | "info" | "warn" | "error";
  readonly text: string;
  /** An action that the user can undo: the message has an "Undo" button. */
  readonly undo?: Undoable;
  /** A page with more about the result. */
  readonly link?: FlashLink;
}

/** A link in a message: a label without colons, and the path of a list with its filters. */
export interface FlashLink {
  readonly label: string;
  readonly path: string;
}

/** A bulk action that can be undone, and the id of its request. */
export interface Undoable {
  readonly action: "status" | "assign_to" | "contact_to" | "edit";
  readonly requestId: string;
  /** URL of the list whose objects an edit changed. */
  readonly list?: string;
}

/** A request to a page, with or without a session. */
export interface PublicCall {
  /** Has no actor. */
  readonly deps: Omit<Context, "actor">;
  /** Reads the body, bounded in size and time. */
  readonly body: RequestBody;
  readonly client: Client;
  readonly request: Request;
  readonly url: URL;
  readonly query: URLSearchParams;
  /** Parameters of the path, by name. */
  readonly params: Readonly<Record<string, string>>;
  /** The posted form; empty for GET. */
  readonly form: FormData;
  readonly flash: Flash | undefined;
}

/** A request of a signed-in user. A posted form has passed the CSRF check. */
export interface Call extends PublicCall {
  readonly ctx: Context;
  readonly session: Session;
  /** The session's token for the forms of this response, masked. */
  readonly formToken: string;
}

/** A page, or the action of one of its forms. */
export interface Route {
  readonly method: "GET" | "POST";
  /** Path in Hono's notation: `/tenants/:id{[0-9]+}/`. */
  readonly path: string;
  readonly handle: (call: Call) => Response | Promise<Response>;
  /** Whether it is open to users who have to add a second factor before anything else. */
  readonly beforeSecondFactor?: boolean;
}

/** Returns the number in the path's `:id`; 0, which no object has, for numbers that are too large. */
export function idOf({ params }: Call): number {
  return numberOf(params.id);
}

/** Returns the number in a part of a path; 0 for numbers that are too large. */
export function numberOf(text: string | undefined): number {
  const number = Number(text);
  return Number.isSafeInteger(number) ? number : 0;
}

/** The pattern of a number in a path. */
export const ID = ":id{[0-9]+}";

/** A page without sign-in, and the action of its form. */
export interface PublicRoute {
  readonly method: "GET" | "POST";
  readonly path: string;
  readonly handle: (call: PublicCall) => Response | Promise<Response>;
}

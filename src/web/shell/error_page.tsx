/** The page of an error. */

import type { AppError, AppErrorCode } from "../../base/errors.ts";
import type { Call, PublicCall } from "../call.ts";
import { messagesOf } from "../messages.ts";
import { bare, page } from "./layout.tsx";

const REFUSALS = {
  invalid: [400, "Invalid request"],
  unauthenticated: [401, "Sign-in required"],
  forbidden: [403, "Permission denied"],
  not_found: [404, "Not found"],
  method_not_allowed: [405, "Method not allowed"],
  timeout: [408, "Request timed out"],
  conflict: [409, "Conflict"],
  precondition_failed: [412, "Object has changed"],
  too_large: [413, "Request too large"],
  uri_too_long: [414, "Address too long"],
  unsupported_media_type: [415, "Unsupported content type"],
  rate_limited: [429, "Too many requests"],
  client_closed: [499, "Request incomplete"],
  unavailable: [503, "Service unavailable"],
} satisfies Record<AppErrorCode, readonly [status: number, title: string]>;

/** Renders the page of an error, with the navigation if the user is signed in. */
export function errorPage(call: PublicCall | Call, error: AppError): Response {
  const [status, title] = REFUSALS[error.code];
  const texts = error.code === "not_found"
    ? ["This page or object does not exist, or you may not view it."]
    : messagesOf(error.public);
  const body = (
    <section class="refusal">
      {texts.map((text) => <p>{text}</p>)}
      <p>
        <a href="/">Go to the dashboard</a>
      </p>
    </section>
  );
  return "session" in call ? page(call, { title, status }, body) : bare(call, { title, status }, body);
}

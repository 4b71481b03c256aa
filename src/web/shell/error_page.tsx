/** What a refusal looks like. */

import type { AppError, AppErrorCode } from "../../base/errors.ts";
import type { Call, PublicCall } from "../call.ts";
import { messagesOf } from "../messages.ts";
import { bare, page } from "./layout.tsx";

const REFUSALS = {
  invalid: [400, "That does not fit"],
  unauthenticated: [401, "Please sign in"],
  forbidden: [403, "Not permitted"],
  not_found: [404, "Nothing here"],
  method_not_allowed: [405, "That cannot be done here"],
  timeout: [408, "The form came too slowly"],
  conflict: [409, "Something stands in the way"],
  precondition_failed: [412, "It has changed in the meantime"],
  too_large: [413, "Too large"],
  uri_too_long: [414, "The address is too long"],
  unsupported_media_type: [415, "That is no form"],
  rate_limited: [429, "Too many attempts"],
  client_closed: [499, "The form was cut off"],
  unavailable: [503, "Not available right now"],
} satisfies Record<AppErrorCode, readonly [status: number, title: string]>;

/** The page of a refusal, with the frame where the user is known. */
export function errorPage(call: PublicCall | Call, error: AppError): Response {
  const [status, title] = REFUSALS[error.code];
  const texts = error.code === "not_found"
    ? ["There is no such page or object, or you may not see it."]
    : messagesOf(error.public);
  const body = (
    <section class="refusal">
      {texts.map((text) => <p>{text}</p>)}
      <p>
        <a href="/">To the dashboard</a>
      </p>
    </section>
  );
  return "session" in call ? page(call, { title, status }, body) : bare(call, { title, status }, body);
}

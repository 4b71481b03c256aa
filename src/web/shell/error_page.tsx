/** The page of an error. */

import { isGranted } from "../../auth/mod.ts";
import { type AppError, type AppErrorCode, forbidden } from "../../base/errors.ts";
import { checks } from "../../domain/compliance/mod.ts";
import { resources } from "../../domain/registry.ts";
import type { Resource } from "../../resource/mod.ts";
import type { Call, PublicCall } from "../call.ts";
import type { Html } from "../kit/components/html.ts";
import { messagesOf } from "../messages.ts";
import { listPath } from "../paths.ts";
import { bare, page } from "./layout.tsx";
import { pluralOf } from "../type_label.ts";

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

/** Renders the page of an error; for signed-in users with the navigation and links to continue. */
export function errorPage(call: PublicCall | Call, error: AppError): Response {
  const [status, title] = REFUSALS[error.code];
  const paragraphs = explained(call, error).map((text) => <p>{text}</p>);
  if (!("session" in call)) {
    const body = (
      <section>
        {paragraphs}
        <p>
          <a href="/">Go to the overview</a>
        </p>
      </section>
    );
    return bare(call, { title, status }, body);
  }
  return page(
    call,
    { title, status },
    <section class="box form">
      {paragraphs}
      <NextSteps call={call} />
    </section>,
  );
}

/** Actions by the last part of a path. */
const ACTIONS: Readonly<Record<string, string>> = {
  new: "add",
  edit: "change",
  delete: "delete",
  renew: "renew",
  add: "add",
  import: "add",
  "bulk-edit": "change",
  "bulk-delete": "delete",
};

/** Returns the reason of an error; for a missing permission with its name. */
function explained({ url }: PublicCall, error: AppError): readonly string[] {
  if (error.code === "not_found") return ["This page or object does not exist, or you may not view it."];
  const resource = resourceAt(url);
  // Other refusals have another reason, such as a form that has expired.
  const texts = messagesOf(error);
  const missing = error.code === "forbidden" && texts.join() === messagesOf(forbidden()).join();
  if (!missing) return texts;
  if (resource === undefined) return [...texts, GRANTING];
  const isView = url.pathname === REPORT || url.pathname === listPath(resource) ||
    /\/\d+\/$/.test(url.pathname);
  const action = isView ? "view" : ACTIONS[url.pathname.split("/").at(-2) ?? ""];
  const plural = pluralOf(resource);
  return action === undefined
    ? [...texts, `You need a permission on ${plural}. ${GRANTING}`]
    : [`You may not ${action} ${plural}. You need the permission "${action}" on ${plural}. ${GRANTING}`];
}

const GRANTING = "An administrator can grant it.";

/** The path of the compliance report, which consists of checks. */
const REPORT = "/compliance/";

/** Returns the resource to whose pages a URL belongs. */
function resourceAt({ pathname }: URL): Resource | undefined {
  if (pathname === REPORT) return checks;
  return resources.find((resource) => pathname.startsWith(listPath(resource)));
}

/** Renders links to the list and the dashboard. */
function NextSteps({ call }: { call: Call }): Html {
  const resource = resourceAt(call.url);
  return (
    <p class="form-actions">
      {resource === undefined || !isGranted(call.ctx, "view", resource.objectType)
        ? null
        : <a href={listPath(resource)}>All {pluralOf(resource)}</a>}
      <a href="/">Overview</a>
    </p>
  );
}

/** The page of an error. */

import { isGranted } from "../../auth/mod.ts";
import { type AppError, type AppErrorCode, forbidden } from "../../base/errors.ts";
import { checks } from "../../domain/compliance/mod.ts";
import { resources } from "../../domain/registry.ts";
import { users } from "../../domain/accounts/users/mod.ts";
import { listObjects, parseListQuery, type Resource } from "../../resource/mod.ts";
import type { Call, PublicCall } from "../call.ts";
import type { Html } from "../kit/components/html.ts";
import { Joined } from "../kit/components/joined.tsx";
import { messagesOf } from "../messages.ts";
import { listPath, objectPath } from "../paths.ts";
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
export async function errorPage(call: PublicCall | Call, error: AppError): Promise<Response> {
  const [status, title] = REFUSALS[error.code];
  const { texts, missing } = explained(call, error);
  const paragraphs = texts.map((text) => <p>{text}</p>);
  if (!("session" in call)) {
    const body = (
      <section>
        {paragraphs}
        <p>
          <a href="/">Go to the dashboard</a>
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
      {missing ? await Granting({ call }) : null}
      <NextSteps call={call} offersSearch={error.code !== "forbidden"} />
    </section>,
  );
}

/** Number of administrators whose names are shown. */
const SHOWN_ADMINISTRATORS = 5;

/** Renders who can grant permissions; without their names if the user may not view users. At most two statements. */
async function Granting({ call }: { call: Call }): Promise<Html> {
  const names = isGranted(call.ctx, "view", users.objectType) ? await administrators(call) : [];
  return (
    <p>
      {names.length === 0 ? "An administrator can grant it." : (
        <>
          It can be granted by{" "}
          <Joined
            items={names.map(({ id, display }) => (
              <a href={objectPath(users, id)}>
                <bdi>{display}</bdi>
              </a>
            ))}
            last=" or "
          />.
        </>
      )}
    </p>
  );
}

async function administrators({ ctx }: Call): Promise<readonly { id: number; display: string }[]> {
  const params = new URLSearchParams({ is_superuser: "true", is_active: "true", brief: "true" });
  params.set("limit", String(SHOWN_ADMINISTRATORS));
  const query = parseListQuery(ctx, { resource: users, params });
  const { results } = await listObjects({ ctx, resource: users, query });
  return results as unknown as { id: number; display: string }[];
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

/** Returns the reason of an error, and whether it is a missing permission. */
function explained({ url }: PublicCall, error: AppError): { texts: readonly string[]; missing: boolean } {
  if (error.code === "not_found") {
    return { texts: ["This page or object does not exist, or you may not view it."], missing: false };
  }
  const resource = resourceAt(url);
  // Other refusals have another reason, such as a form that has expired.
  const texts = messagesOf(error.public);
  const missing = error.code === "forbidden" && texts.join() === messagesOf(forbidden().public).join();
  if (!missing || resource === undefined) return { texts, missing };
  const isView = url.pathname === REPORT || url.pathname === listPath(resource) ||
    /\/\d+\/$/.test(url.pathname);
  const action = isView ? "view" : ACTIONS[url.pathname.split("/").at(-2) ?? ""];
  const plural = pluralOf(resource);
  return {
    texts: action === undefined
      ? [...texts, `You need a permission on ${plural}.`]
      : [`You may not ${action} ${plural}. You need the permission "${action}" on ${plural}.`],
    missing,
  };
}

/** The path of the compliance report, which consists of checks. */
const REPORT = "/compliance/";

/** Returns the resource to whose pages a URL belongs. */
function resourceAt({ pathname }: URL): Resource | undefined {
  if (pathname === REPORT) return checks;
  return resources.find((resource) => pathname.startsWith(listPath(resource)));
}

/** Renders a link to the page from which the user came. */
function Back({ call: { request, url, client } }: { call: Call }): Html | null {
  // Pages send a referrer only to this origin.
  const from = URL.parse(request.headers.get("referer") ?? "");
  if (from === null || from.origin !== client.origin || from.pathname === url.pathname) return null;
  return <a role="button" href={`${from.pathname}${from.search}`}>Back</a>;
}

/** Renders a search, unless a permission is missing, and links to the list and the dashboard. */
function NextSteps({ call, offersSearch }: { call: Call; offersSearch: boolean }): Html {
  const resource = resourceAt(call.url);
  return (
    <>
      {offersSearch
        ? (
          <form method="get" action="/search/" class="toolbar">
            <div class="grow">
              <input type="search" name="q" aria-label="Search for it" placeholder="Search for it" />
            </div>
            <button type="submit" class="secondary">Search</button>
          </form>
        )
        : null}
      <p class="form-actions">
        <Back call={call} />
        {resource === undefined || !isGranted(call.ctx, "view", resource.objectType)
          ? null
          : <a href={listPath(resource)}>All {pluralOf(resource)}</a>}
        <a href="/">Dashboard</a>
      </p>
    </>
  );
}

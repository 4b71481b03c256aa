/** The pages on Hono's router: signs the caller in by the session's cookie, checks posted forms, renders refusals. */

import { type Context as HonoContext, Hono } from "hono";
import { awaitsSecondFactor, inNetworks, readSession } from "../auth/mod.ts";
import { openProxiedSession } from "../domain/accounts/sessions/web_sessions.ts";
import { type AppEnv, type AppOptions, contextOf } from "../app_options.ts";
import { refreshCustomFields } from "../resource/mod.ts";
import { AppError, notFound } from "../base/errors.ts";
import { MAX_ANONYMOUS_BODY_BYTES } from "../base/limits.ts";
import { logRefusal } from "../base/log_failure.ts";
import { SECURITY_PATH } from "./pages/account/mod.ts";
import { assetAt } from "./assets/mod.ts";
import type { Call, PublicCall } from "./call.ts";
import { readCookies, sessionCookie } from "./cookies.ts";
import { maskToken } from "./form_token.ts";
import { readPosted, requireOwnForm, requireSameOrigin } from "./forms.ts";
import { ownPath, seeOther } from "./responses.ts";
import { movedPaths, publicRoutes, routes } from "./routes.ts";
import { errorPage } from "./shell/mod.ts";

type C = HonoContext<AppEnv>;

/** An actor without permissions, for pages that need no session. */
const ANONYMOUS = { userId: null, username: "", isSuperuser: false, mayWrite: false, grants: [] };

/** Registers every page and asset. */
export function createWeb(options: AppOptions): Hono<AppEnv> {
  const pages = new Hono<AppEnv>();
  pages.get("/assets/*", async (c, next) => {
    const asset = assetAt(c.env.url.pathname);
    if (asset === undefined) return await next();
    c.set("route", "/assets/*");
    return asset;
  });
  for (const { method, path, handle } of publicRoutes) {
    pages.on(method, path, async (c) => {
      c.set("route", templateOf(path));
      const maxBytes = Math.min(MAX_ANONYMOUS_BODY_BYTES, options.maxBodyBytes);
      // The links of notices act with the permissions of their user.
      await refreshCustomFields(options);
      return await handle(await withForm(publicCall(options, c), maxBytes));
    });
  }
  for (const { method, path, handle, beforeSecondFactor = false } of routes) {
    pages.on(method, path, async (c) => {
      c.set("route", templateOf(path));
      const call = await requireSession(options, c);
      if (call instanceof Response) return call;
      const waits = !beforeSecondFactor && awaitsSecondFactor(call.session, options.settings.signIn);
      return waits ? seeOther(call, SECURITY_PATH) : await handle(call);
    });
  }
  for (const { method, path } of [...publicRoutes, ...routes]) {
    if (method === "GET" && path.length > 1 && path.endsWith("/")) pages.all(path.slice(0, -1), addSlash);
  }
  for (const [path, target] of Object.entries(movedPaths)) {
    pages.get(path, (c) =>
      new Response(null, {
        status: 301,
        headers: { location: `${c.get("client").origin}${target}` },
      }));
  }
  pages.all("*", () => {
    throw notFound();
  });
  // Any other error is a defect, which the application answers.
  pages.onError((error, c) => {
    if (error instanceof AppError) return refusalPage(options, c, error);
    throw error;
  });
  return pages;
}

/** Returns a path for metrics and spans: `/tenants/{id}/` for `/tenants/:id{[0-9]+}/`. */
function templateOf(path: string): string {
  return path.replace(/:(\w+)(?:\{[^}]*\})?/g, "{$1}");
}

function publicCall(options: AppOptions, c: C): PublicCall {
  const request = c.req.raw;
  const url = c.env.url;
  const client = c.get("client");
  const { flash } = readCookies({ request, client });
  return {
    deps: contextOf(options, c, ANONYMOUS),
    body: c.get("body"),
    client,
    request,
    url,
    query: url.searchParams,
    params: c.req.param(),
    form: new FormData(),
    flash,
  };
}

/** Returns the call with the posted form; only for callers who may post it. */
async function withForm(call: PublicCall, maxBytes: number): Promise<PublicCall> {
  return { ...call, form: await readPosted(call, maxBytes) };
}

/**
 * Returns the call with its session and posted form, or a redirect to the sign-in page. Errors: forbidden, those of the
 * form.
 */
async function requireSession(options: AppOptions, c: C): Promise<Call | Response> {
  const call = publicCall(options, c);
  const { secret } = readCookies(call);
  const session = secret === undefined ? undefined : await readSession(options, secret);
  const reads = c.req.method === "GET" || c.req.method === "HEAD";
  const proxied = proxiedUser(options, c);
  if (proxied !== undefined && session?.actor.username.toLowerCase() !== proxied.toLowerCase()) {
    return await signInProxied(call, { username: proxied, reads });
  }
  if (session === undefined) {
    const next = reads ? `${call.url.pathname}${call.url.search}` : refererPath(call);
    return seeOther(call, next === "/" ? "/sign-in/" : `/sign-in/?next=${encodeURIComponent(next)}`);
  }
  c.set("username", session.actor.username);
  await refreshCustomFields(options);
  const ctx = contextOf(options, c, session.actor);
  const formToken = maskToken(session.csrf);
  if (reads) return { ...call, ctx, session, formToken };
  requireSameOrigin(call);
  const posted = { ...await withForm(call, options.maxBodyBytes), ctx, session, formToken };
  requireOwnForm(posted);
  return posted;
}

/** Returns the path of the page from which a form was posted; `/` if the browser does not send it. */
function refererPath({ request, url }: PublicCall): string {
  const referer = URL.parse(request.headers.get("referer") ?? "");
  return referer?.origin === url.origin ? ownPath(`${referer.pathname}${referer.search}`) : "/";
}

/** Returns the user whom a trusted proxy names; undefined if no proxy is configured, or for other addresses. */
function proxiedUser({ settings, trustedProxies }: AppOptions, c: C): string | undefined {
  const { trustedUserHeader } = settings.signIn;
  const remote = c.env.remoteAddr?.hostname ?? null;
  if (trustedUserHeader === undefined || !inNetworks(remote, trustedProxies)) return undefined;
  return c.req.header(trustedUserHeader)?.trim() || undefined;
}

/** Starts a session of the user whom the proxy names, who must exist. Errors: forbidden. */
async function signInProxied(
  call: PublicCall,
  { username, reads }: { username: string; reads: boolean },
): Promise<Response> {
  const { deps, client, request, url } = call;
  const userAgent = request.headers.get("user-agent") ?? "";
  const { secret } = await openProxiedSession(deps, { username, address: client.address, userAgent });
  const next = reads ? `${url.pathname}${url.search}` : "/";
  return seeOther(call, next, { cookies: [sessionCookie(client, secret)] });
}

/** Redirects to the URL with a slash at its end. */
function addSlash(c: C): Response {
  const { pathname, search } = c.env.url;
  return new Response(null, {
    status: 301,
    headers: { location: `${c.get("client").origin}${pathname}/${search}` },
  });
}

/** Renders a refusal as a page, with the navigation of a signed-in caller. */
async function refusalPage(options: AppOptions, c: C, error: AppError): Promise<Response> {
  const call = publicCall(options, c);
  logRefusal(options.log, { error, request_id: c.get("requestId") });
  const { secret } = readCookies(call);
  const session = secret === undefined
    ? undefined
    : await readSession(options, secret).catch(() => undefined);
  const page = session === undefined
    ? errorPage(call, error)
    : errorPage({ ...call, ctx: contextOf(options, c, session.actor), session }, error);
  for (const [name, value] of Object.entries(error.headers)) page.headers.set(name, value);
  return page;
}

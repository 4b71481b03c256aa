/** The surface of the pages: who asks, whether a form is our own, which page it is, and what a refusal looks like. */

import { Hono } from "hono";
import { readSession } from "../auth/mod.ts";
import { type AppOptions, contextOf, type Envelope } from "../app_options.ts";
import { AppError, notFound } from "../base/errors.ts";
import { MAX_ANONYMOUS_BODY_BYTES } from "../base/limits.ts";
import { logRefusal } from "../base/log_failure.ts";
import { publicRoutes } from "./account/mod.ts";
import { assetAt } from "./assets/mod.ts";
import type { Call, PublicCall } from "./call.ts";
import { readCookies } from "./cookies.ts";
import { readPosted, requireOwnForm, requireSameOrigin } from "./forms.ts";
import { seeOther } from "./responses.ts";
import { routes } from "./routes.ts";
import { errorPage } from "./shell/mod.ts";

/** Answers requests to pages. */
export type Web = (request: Request, envelope: Envelope) => Promise<Response>;

type Handle = (call: PublicCall) => Response | Promise<Response>;
type Bindings = {
  Bindings: {
    answer: (handle: Handle, params: Record<string, string>) => Promise<Response>;
    note: Envelope["note"];
  };
};

/** An actor without any right, for what is shown to everybody. */
const NOBODY = { userId: null, username: "", isSuperuser: false, mayWrite: false, grants: [] };

/** The pages. */
export function createWeb(options: AppOptions): Web {
  const hono = new Hono<Bindings>();
  for (const { method, path, handle } of publicRoutes) {
    hono.on(method, path, (c) => {
      c.env.note.route = templateOf(path);
      return c.env.answer(
        async (call) =>
          await handle(await withForm(call, Math.min(MAX_ANONYMOUS_BODY_BYTES, options.maxBodyBytes))),
        c.req.param(),
      );
    });
  }
  for (const { method, path, handle } of routes) {
    const signedIn: Handle = async (call) => {
      const whole = await requireSession(options, call);
      return whole instanceof Response ? whole : await handle(whole);
    };
    hono.on(method, path, (c) => {
      c.env.note.route = templateOf(path);
      return c.env.answer(signedIn, c.req.param());
    });
  }
  hono.notFound((c) => c.env.answer((call) => missing(hono, call), {}));
  hono.onError((error) => {
    throw error;
  });

  return async (request, envelope) => {
    const asset = assetAt(envelope.url.pathname);
    if (asset !== undefined) {
      envelope.note.route = "/assets/*";
      return asset;
    }
    const answer = async (handle: Handle, params: Record<string, string>): Promise<Response> => {
      const call = publicCall(options, { request, envelope, params });
      try {
        return await handle(call);
      } catch (error) {
        return await refusalPage(options, { call, error, envelope });
      }
    };
    return await hono.fetch(new Request(envelope.url, { method: request.method }), {
      answer,
      note: envelope.note,
    });
  };
}

/** `/tenants/:id{[0-9]+}/` as metrics and spans call it: `/tenants/{id}/`. */
function templateOf(path: string): string {
  return path.replace(/:(\w+)(?:\{[^}]*\})?/g, "{$1}");
}

function publicCall(
  options: AppOptions,
  { request, envelope, params }: { request: Request; envelope: Envelope; params: Record<string, string> },
): PublicCall {
  const { url, client } = envelope;
  const { theme, flash } = readCookies({ request, client });
  const deps = contextOf(options, envelope, NOBODY);
  return {
    deps,
    envelope,
    client,
    request,
    url,
    query: url.searchParams,
    params,
    form: new FormData(),
    theme,
    flash,
  };
}

/** The call with the form that was posted. Read only when it is known that it is wanted. */
async function withForm(call: PublicCall, maxBytes: number): Promise<PublicCall> {
  return { ...call, form: await readPosted(call, maxBytes) };
}

/** The call with its session; without one, the way to the sign-in page. */
async function requireSession(options: AppOptions, call: PublicCall): Promise<Call | Response> {
  const { secret } = readCookies(call);
  const session = secret === undefined ? undefined : await readSession(options, secret);
  const reading = call.request.method === "GET" || call.request.method === "HEAD";
  if (session === undefined) {
    const next = reading ? `${call.url.pathname}${call.url.search}` : "/";
    return seeOther(call, next === "/" ? "/sign-in/" : `/sign-in/?next=${encodeURIComponent(next)}`);
  }
  const { envelope } = call;
  envelope.note.username = session.actor.username;
  const ctx = contextOf(options, envelope, session.actor);
  if (reading) return { ...call, ctx, session };
  requireSameOrigin(call);
  const whole = { ...await withForm(call, options.maxBodyBytes), ctx, session };
  requireOwnForm(whole);
  return whole;
}

/** A path of no page; perhaps only the slash at its end is missing. Errors: not_found. */
function missing(hono: Hono<Bindings>, { url, client }: PublicCall): Response {
  const { pathname, search } = url;
  const [known] = hono.router.match("GET", `${pathname}/`);
  if (pathname.endsWith("/") || known.length === 0) throw notFound();
  return new Response(null, { status: 301, headers: { location: `${client.origin}${pathname}/${search}` } });
}

/** A refusal as a page; what is no refusal is a defect, which the application answers. */
async function refusalPage(
  options: AppOptions,
  { call, error, envelope }: { call: PublicCall; error: unknown; envelope: Envelope },
): Promise<Response> {
  if (!(error instanceof AppError)) throw error;
  logRefusal(call.deps.log, { error, request_id: envelope.requestId });
  const { secret } = readCookies(call);
  const session = secret === undefined
    ? undefined
    : await readSession(options, secret).catch(() => undefined);
  const page = session === undefined
    ? errorPage(call, error)
    : errorPage({ ...call, ctx: contextOf(options, envelope, session.actor), session }, error);
  for (const [name, value] of Object.entries(error.headers)) page.headers.set(name, value);
  return page;
}

/**
 * GraphQL over HTTP: receives a request under `/graphql/`, authenticates the caller, and executes the query.
 */

import { type Context as HonoContext, Hono } from "hono";
import { getCookie } from "hono/cookie";
import { type Actor, actorOfSession, authenticate, sessionCookieName } from "../auth/mod.ts";
import { type AppEnv, type AppOptions, contextOf } from "../app_options.ts";
import { AppError, invalidField, notFound } from "../base/errors.ts";
import { inSlices } from "../base/pace.ts";
import { quote, refreshCustomFields } from "../resource/mod.ts";
import { PRIVATE_KEY_MESSAGE, searchingKey } from "../x509/mod.ts";
import { MAX_GRAPHQL_BODY_BYTES } from "./limits.ts";
import { refusalResponse } from "./errors.ts";
import { graphiqlFile, VIEWER_PATH } from "./viewer.ts";
import { buildModel } from "./schema/build.ts";
import { createServer, type GraphqlServer } from "./server.ts";

type C = HonoContext<AppEnv>;

/** Path of the endpoint. */
const PATH = "/graphql/";

/**
 * Registers the endpoint and the files of its viewer. A browser gets the viewer at the endpoint's own URL.
 */
export function createGraphql(options: AppOptions): Hono<AppEnv> {
  const introspection = options.graphqlIntrospection ?? true;
  // Built at the first query: the schema takes a third of the time of the start, and memory that many
  // installations never need.
  let server: GraphqlServer | undefined;
  const routes = new Hono<AppEnv>();
  routes.use(`${PATH}*`, async (c, next) => {
    c.set("route", "/graphql/*");
    await next();
  });
  routes.all(PATH, async (c) => {
    c.set("route", PATH);
    if (isRead(c) && acceptsPage(c)) return await graphiqlFile("");
    return await execute(options, server ??= createServer(buildModel(), { introspection }), c);
  });
  routes.get(`${VIEWER_PATH}*`, (c) => graphiqlFile(c.env.url.pathname.slice(VIEWER_PATH.length)));
  routes.all(PATH.slice(0, -1), addSlash);
  routes.all(`${PATH}*`, () => {
    throw notFound();
  });
  return routes;
}

/** Executes a query. All refusals are in GraphQL's format, including those of credentials and bodies. */
async function execute(options: AppOptions, server: GraphqlServer, c: C): Promise<Response> {
  try {
    const actor = await authenticateCaller(options, c);
    c.set("username", actor.username);
    await refreshCustomFields(options);
    requireJson(c.req.raw);
    requireJsonParameters(c.env.url.searchParams);
    const response = await server.fetch(await detached(c), {
      certmgr: { ctx: contextOf(options, c, actor) },
    });
    return new Response(response.body, response);
  } catch (error) {
    if (error instanceof AppError) return refusalResponse(error, c.req.raw);
    throw error;
  }
}

/**
 * Copies the request with its body in memory. The body is limited like any other. The signal is left out,
 * because it is aborted at the end of each response as if the client had disconnected. Errors: those of
 * reading the body; invalid (a private key, which a syntax error would repeat).
 */
async function detached(c: C): Promise<Request> {
  const { url, method, headers } = c.req.raw;
  const bytes = method === "POST" ? await c.get("body").read(MAX_GRAPHQL_BODY_BYTES) : undefined;
  if (bytes !== undefined && await inSlices(searchingKey(bytes))) {
    throw new AppError("invalid", PRIVATE_KEY_MESSAGE);
  }
  return new Request(url, { method, headers, ...(bytes === undefined ? {} : { body: bytes }) });
}

/**
 * Authenticates by the token in `Authorization`, or else by the web session. The session's cookie is safe
 * here, because a page of another site cannot send JSON without a preflight (Fetch standard, CORS), and
 * queries change nothing. Errors: unauthenticated, forbidden.
 */
async function authenticateCaller(options: AppOptions, c: C): Promise<Actor> {
  const { address, origin } = c.get("client");
  const authorization = c.req.header("authorization") ?? null;
  const secret = getCookie(c, sessionCookieName(origin));
  const actor = authorization === null && secret !== undefined
    ? await actorOfSession(options, secret)
    : undefined;
  return actor ?? await authenticate(options, { authorization, address });
}

/** Redirects reads to the URL with its slash. For other methods, the error names this URL. */
function addSlash(c: C): Response {
  const { origin } = c.get("client");
  if (isRead(c)) {
    const location = `${origin}${PATH}${c.env.url.search}`;
    return new Response(null, { status: 301, headers: { location } });
  }
  throw new AppError("not_found", `Not found. The address is ${origin}${PATH} (with a slash at the end).`);
}

function isRead(c: C): boolean {
  return c.req.method === "GET" || c.req.method === "HEAD";
}

/** Returns whether a browser requests the viewer: it accepts HTML and sends no query. */
function acceptsPage(c: C): boolean {
  return !c.env.url.searchParams.has("query") && (c.req.header("accept") ?? "").includes("text/html");
}

/** Parameters of a URL that are JSON (GraphQL over HTTP, "GET"). */
const JSON_PARAMETERS = ["variables", "extensions"];

/** Refuses parameters that are not JSON, which GraphQL Yoga would answer as a defect. Errors: invalid (by parameter). */
function requireJsonParameters(params: URLSearchParams): void {
  for (const name of JSON_PARAMETERS) {
    const text = params.get(name);
    if (text === null || text === "" || isJson(text)) continue;
    throw invalidField(name, "unexpected", { expected: "an object as JSON", value: quote(text) });
  }
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/**
 * Refuses forms, which a page of another site could send with the visitor's cookies. Errors:
 * unsupported_media_type.
 */
function requireJson(request: Request): void {
  if (request.method !== "POST") return;
  const given = request.headers.get("content-type") ?? "";
  if (given.split(";")[0]?.trim().toLowerCase() === "application/json") return;
  const type = JSON.stringify(given.slice(0, 200));
  throw new AppError(
    "unsupported_media_type",
    `Unsupported media type ${type} in request. Send application/json.`,
  );
}

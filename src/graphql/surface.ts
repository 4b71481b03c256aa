/** The GraphQL surface: takes a request under `/graphql/`, authenticates, answers. */

import { parse } from "hono/utils/cookie";
import { type Actor, actorOfSession, authenticate, sessionCookieName } from "../auth/mod.ts";
import { type AppOptions, contextOf, type Envelope } from "../app_options.ts";
import { AppError, notFound } from "../base/errors.ts";
import { MAX_GRAPHQL_BODY_BYTES } from "../base/limits.ts";
import { refusalResponse } from "./errors.ts";
import { VIEWER_PATH, viewerFile } from "./viewer.ts";
import { buildModel } from "./schema/mod.ts";
import { createServer } from "./server.ts";

/** Finds out who asks. Errors: unauthenticated, forbidden. */
type Identify = (request: Request, asked: Envelope) => Promise<Actor>;

/** Answers requests under `/graphql/`; throws refusals of addresses that there are not. */
type GraphqlSurface = (request: Request, asked: Envelope) => Promise<Response>;

/** Address of the surface. */
const PATH = "/graphql/";

/**
 * The surface.
 * A token in the header `Authorization` counts, else a web session. A session's cookie is safe here: a foreign page
 * cannot send JSON without asking first (Fetch standard, CORS), and nothing can be changed.
 */
export function createGraphql(options: AppOptions): GraphqlSurface {
  const identify = byTokenOrSession(options);
  const introspection = options.graphqlIntrospection ?? true;
  // Made for the first query: a third of the time to start, and memory that many never need.
  let made: ReturnType<typeof createServer> | undefined;
  const server = (): NonNullable<typeof made> => made ??= createServer(buildModel(), { introspection });
  return async (request, asked) => {
    const { pathname } = asked.url;
    const reading = request.method === "GET" || request.method === "HEAD";
    if (pathname !== PATH) return await besides(asked, { reading });
    asked.note.route = PATH;
    if (reading && wantsPage(request, asked.url)) return await viewerFile("");
    try {
      const actor = await identify(request, asked);
      asked.note.username = actor.username;
      requireJson(request);
      const response = await server().fetch(await detached(request, asked), {
        asking: { ctx: contextOf(options, asked, actor) },
      });
      return new Response(response.body, response);
    } catch (error) {
      if (error instanceof AppError) return refusalResponse(error, request);
      throw error;
    }
  };
}

/**
 * The request with its body in memory, bounded as all are, and without its signal, which is aborted at the end of each
 * answer as if the client had gone away. Errors: those of the reading.
 */
async function detached({ url, method, headers }: Request, { body }: Envelope): Promise<Request> {
  const bytes = method === "POST" ? await body.read(MAX_GRAPHQL_BODY_BYTES) : undefined;
  return new Request(url, { method, headers, ...(bytes === undefined ? {} : { body: bytes }) });
}

function byTokenOrSession({ database, clock }: AppOptions): Identify {
  return async (request, { client }) => {
    const authorization = request.headers.get("authorization");
    const name = sessionCookieName(client.origin);
    const secret = parse(request.headers.get("cookie") ?? "", name)[name];
    const actor = authorization === null && secret !== undefined
      ? await actorOfSession({ database, clock }, secret)
      : undefined;
    return actor ?? await authenticate({ database, clock }, { authorization, address: client.address });
  };
}

/** The viewer's files; a trailing slash is canonical. */
async function besides({ url, client }: Envelope, { reading }: { reading: boolean }): Promise<Response> {
  const { pathname, search } = url;
  if (reading && pathname.startsWith(VIEWER_PATH)) {
    return await viewerFile(pathname.slice(VIEWER_PATH.length));
  }
  if (pathname !== PATH.slice(0, -1)) throw notFound();
  if (reading) {
    return new Response(null, { status: 301, headers: { location: `${client.origin}${PATH}${search}` } });
  }
  const detail = `Not found. The address is ${client.origin}${PATH} (with a slash at the end).`;
  throw new AppError("not_found", detail);
}

function wantsPage(request: Request, url: URL): boolean {
  return !url.searchParams.has("query") && (request.headers.get("accept") ?? "").includes("text/html");
}

/** Forms, which any page may send with a visitor's cookies, are no GraphQL. */
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

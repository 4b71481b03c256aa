/**
 * A process that keeps libSQL servers for tests: applications that are lent from one test to the next outlive each
 * single test, which may leave no child process behind. Servers are started ahead of need.
 *
 * `POST /template` with a SQLite file gives its number, `POST /lend?template=0` a server that begins with it,
 * `POST /return?url=…` takes it back. Says its port on standard output; ends when its standard input does.
 */

import { type LibsqlServer, startLibsqlServer } from "./libsql_server.ts";

/** Number of servers that are started in advance for each template. */
const READY = 2;

interface Template {
  readonly bytes: Uint8Array;
  readonly ready: Promise<LibsqlServer>[];
}

const templates: Template[] = [];
const lent = new Map<string, LibsqlServer>();

function fill({ bytes, ready }: Template): void {
  while (ready.length < READY) ready.push(startLibsqlServer({ bytes }));
}

async function lend(template: Template): Promise<Response> {
  fill(template);
  const server = await (template.ready.shift() as Promise<LibsqlServer>);
  fill(template);
  lent.set(server.url, server);
  return Response.json({ url: server.url, path: server.path });
}

async function answer(request: Request): Promise<Response> {
  const { pathname, searchParams } = new URL(request.url);
  if (pathname === "/template") {
    const template = { bytes: await request.bytes(), ready: [] };
    return Response.json(templates.push(template) - 1);
  }
  if (pathname === "/lend") return await lend(templates[Number(searchParams.get("template"))] as Template);
  const url = searchParams.get("url") ?? "";
  await lent.get(url)?.[Symbol.asyncDispose]();
  lent.delete(url);
  return Response.json(null);
}

if (import.meta.main) {
  Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: ({ port }) => console.log(port) }, answer);
  for await (const _ of Deno.stdin.readable);
  const ready = templates.flatMap((template) => template.ready);
  // Each is ended, even if ending another one fails.
  await Promise.allSettled([...lent.values(), ...ready].map(async (server) => {
    await (await server)[Symbol.asyncDispose]();
  }));
  Deno.exit(0);
}

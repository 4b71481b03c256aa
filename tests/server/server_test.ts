import assert from "node:assert/strict";
import { createLogger } from "../../src/base/log.ts";
import { inBackground, isInBackground } from "../../src/base/pace.ts";
import { listenerUrl, type RequestHandler, type Server, startServer } from "../../src/server.ts";

interface TestServer extends AsyncDisposable, Server {
  readonly logged: Record<string, unknown>[];
}

function serve(handler: RequestHandler, times: { graceMs?: number; limitMs?: number } = {}): TestServer {
  const logged: Record<string, unknown>[] = [];
  const log = createLogger({ level: "debug", now: () => 0, write: (line) => logged.push(JSON.parse(line)) });
  const server = startServer({
    handler,
    host: "127.0.0.1",
    port: 0,
    log,
    graceMs: 100,
    limitMs: 2_000,
    ...times,
  });
  let stopped: Promise<number> | undefined;
  const stop = (): Promise<number> => stopped ??= server.stop();
  return { url: server.url, stop, logged, [Symbol.asyncDispose]: async () => void await stop() };
}

async function get(server: Server): Promise<{ status: number; text: string; connection: string | null }> {
  const response = await fetch(server.url);
  return {
    status: response.status,
    text: await response.text(),
    connection: response.headers.get("connection"),
  };
}

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

Deno.test("the handler gets the request and the client's address", async () => {
  await using server = serve((request, { remoteAddr }) =>
    Promise.resolve(new Response(`${request.method} ${new URL(request.url).pathname} ${remoteAddr.hostname}`))
  );
  assert.match(server.url, /^http:\/\/127\.0\.0\.1:[1-9]\d*\/$/);
  assert.deepEqual(await get(server), { status: 200, text: "GET / 127.0.0.1", connection: null });
});

Deno.test("a request does not count as background work, also when that work has imported a module", async () => {
  await using server = serve(() => Promise.resolve(new Response(`in background: ${isInBackground()}`)));
  await inBackground(async () => {
    assert.equal(isInBackground(), true);
    await import("data:text/javascript,export const late = true;");
  });
  assert.equal((await get(server)).text, "in background: false");
});

Deno.test("a handler that throws is answered with 500 without its message, which is logged", async () => {
  await using server = serve(() => Promise.reject(new Error("inner secret")));
  const { status, text } = await get(server);
  assert.deepEqual([status, text], [500, '{"detail":"Internal server error."}']);
  assert.deepEqual(server.logged.map(({ level, event }) => [level, event]), [["error", "defect"]]);
  assert.match(server.logged[0]?.error as string, /inner secret/);
});

Deno.test("a stopping server first accepts requests in flight, then refuses new ones, then closes its port", async () => {
  const gate = Promise.withResolvers<void>();
  const arrived = Promise.withResolvers<void>();
  await using server = serve(async (request) => {
    if (request.url.endsWith("slow")) {
      arrived.resolve();
      await gate.promise;
    }
    return new Response("done");
  }, { graceMs: 3_000, limitMs: 60_000 });
  const slow = fetch(`${server.url}slow`).then((response) => response.text());
  await arrived.promise;
  const stopping = server.stop();
  assert.deepEqual(await get(server), { status: 200, text: "done", connection: "close" });
  await sleep(3_100);
  const late = await fetch(server.url);
  assert.deepEqual([late.status, late.headers.get("retry-after"), await late.json()], [
    503,
    "5",
    { detail: "The service is stopping." },
  ]);
  gate.resolve();
  assert.equal(await slow, "done");
  assert.equal(await stopping, 0);
  await assert.rejects(() => fetch(server.url));
});

Deno.test("a response that is still being sent counts as in flight", async () => {
  let finished = false;
  async function* pieces(): AsyncGenerator<Uint8Array> {
    yield new TextEncoder().encode("begin ");
    await sleep(400);
    finished = true;
    yield new TextEncoder().encode("end");
  }
  await using server = serve(
    () => Promise.resolve(new Response(ReadableStream.from(pieces()))),
    { limitMs: 60_000 },
  );
  const response = await fetch(server.url);
  assert.equal(await server.stop(), 0);
  assert.ok(finished);
  assert.equal(await response.text(), "begin end");
});

Deno.test("a server without traffic stops after the grace period", async () => {
  await using server = serve(() => Promise.resolve(new Response("")));
  const before = performance.now();
  assert.equal(await server.stop(), 0);
  assert.ok(performance.now() - before < 5_000);
});

Deno.test("requests that do not end within the limit are cut off and counted", async () => {
  const gate = Promise.withResolvers<void>();
  const arrived = Promise.withResolvers<void>();
  await using server = serve(async () => {
    arrived.resolve();
    await gate.promise;
    return new Response("too late");
  }, { limitMs: 300 });
  const stuck = fetch(server.url).then((response) => response.text());
  await arrived.promise;
  const before = performance.now();
  assert.equal(await server.stop(), 1);
  const took = performance.now() - before;
  assert.ok(took > 250 && took < 5_000, `Stopping took ${took} ms`);
  gate.resolve();
  await stuck;
});

Deno.test("a client that disconnects does not delay the stop", async () => {
  const gate = Promise.withResolvers<void>();
  const arrived = Promise.withResolvers<void>();
  await using server = serve(async () => {
    arrived.resolve();
    await gate.promise;
    return new Response("nobody reads this");
  });
  const controller = new AbortController();
  const gone = fetch(server.url, { signal: controller.signal }).catch(() => "gone");
  await arrived.promise;
  controller.abort();
  assert.equal(await gone, "gone");
  const stopping = server.stop();
  gate.resolve();
  assert.equal(await stopping, 0);
});

Deno.test("an address in use is refused", async () => {
  await using server = serve(() => Promise.resolve(new Response("")));
  const port = Number(new URL(server.url).port);
  const log = createLogger({ level: "error", now: () => 0, write: () => {} });
  assert.throws(
    () => startServer({ handler: () => Promise.resolve(new Response("")), host: "127.0.0.1", port, log }),
    Deno.errors.AddrInUse,
  );
});

Deno.test("an IPv6 address is written in brackets", () => {
  assert.equal(listenerUrl({ hostname: "::1", port: 8000 }), "http://[::1]:8000/");
  assert.equal(listenerUrl({ hostname: "127.0.0.1", port: 80 }), "http://127.0.0.1:80/");
});

Deno.test("a request whose body never arrives does not prevent the stop", async () => {
  const server = serve(() => Promise.resolve(new Response("answered early")));
  const { hostname, port } = new URL(server.url);
  const connection = await Deno.connect({ hostname, port: Number(port) });
  await connection.write(
    new TextEncoder().encode("POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\n\r\na"),
  );
  await connection.read(new Uint8Array(1_000));
  assert.equal(await server.stop(), 0);
  connection.close();
});

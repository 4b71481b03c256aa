/** Listens for requests, and stops without cutting off any. */

import { stackOf } from "./base/errors.ts";
import type { Logger } from "./base/log.ts";
import { beginRequest, inRequest } from "./base/pace.ts";

/** How long requests that are already in transit are still accepted after a signal to stop. */
const STOP_GRACE_MS = 250;
/** How long running requests may take to finish after a signal to stop. */
export const STOP_LIMIT_MS = 10_000;

/** Pause before the server listens again after it could not accept a connection, in milliseconds. */
const LISTEN_AGAIN_MS = 500;

/** Answers a request. `info` is what the listener knows about its connection. */
export type RequestHandler = (
  request: Request,
  info: { readonly remoteAddr: { readonly hostname: string } },
) => Promise<Response>;

/** Options of {@link startServer}; the times are for tests. */
export interface ServerOptions {
  readonly handler: RequestHandler;
  readonly host: string;
  /** 0 for any free port. */
  readonly port: number;
  readonly log: Logger;
  /** Whether other processes listen on the same port. The system distributes connections among them. */
  readonly isShared?: boolean;
  readonly graceMs?: number;
  readonly limitMs?: number;
}

/** A server that is listening. */
export interface Server {
  /** Address with the actual port, `http://127.0.0.1:8000/`. */
  readonly url: string;
  /**
   * Stops the server. Requests that arrive within the grace period are still handled, later ones get a 503.
   * The port is closed a grace period after the last response, or at the limit. Returns the number of
   * requests that were cut off.
   */
  stop(): Promise<number>;
}

/** Starts listening. Throws the errors of `Deno.serve` (`Deno.errors.AddrInUse`). */
export function startServer(options: ServerOptions): Server {
  const traffic = new Traffic();
  let { port } = options;
  let server = listen();
  port = server.addr.port;
  // Deno stops listening when a connection cannot be accepted, because the process has too many open files.
  // Connections that were accepted continue, and end sooner or later.
  function listenAgain(error: unknown): void {
    if (traffic.phase !== "open") return;
    options.log.log("error", "connections refused", { error: String(error) });
    setTimeout(() => {
      if (traffic.phase !== "open") return;
      try {
        server = listen();
      } catch (error) {
        listenAgain(error);
      }
    }, LISTEN_AGAIN_MS);
  }
  function listen(): Deno.HttpServer<Deno.NetAddr> {
    const listening = Deno.serve({
      hostname: options.host,
      port,
      reusePort: options.isShared ?? false,
      onListen: () => {},
      onError: (error) => internalError(error, options.log),
    }, answer);
    listening.finished.catch(listenAgain);
    return listening;
  }
  function answer(request: Request, info: Deno.ServeHandlerInfo<Deno.NetAddr>): Promise<Response> | Response {
    // Deno calls the handler in the asynchronous context in which a module was last imported. So a request
    // would count as background work if that work imported one. The rest of the context, such as the
    // request's span, is kept.
    return inRequest(() => {
      if (traffic.phase === "closed") return unavailable();
      traffic.enter(info.completed);
      return traffic.answer(
        options.handler(request, { remoteAddr: { hostname: hostnameOf(info.remoteAddr) } }),
      );
    });
  }
  const { graceMs = STOP_GRACE_MS, limitMs = STOP_LIMIT_MS } = options;
  return {
    url: listenerUrl(server.addr),
    async stop(): Promise<number> {
      const deadline = performance.now() + limitMs;
      traffic.phase = "stopping";
      await sleep(Math.min(graceMs, limitMs));
      traffic.phase = "closed";
      const left = await traffic.settled(Math.max(0, limitMs - graceMs));
      // Clients that are about to send a request get a 503. If the port closed at once, their connections
      // would be reset.
      if (left === 0) await sleep(Math.max(0, Math.min(graceMs, deadline - performance.now())));
      // Shutdown waits indefinitely for connections whose request was answered before its body had arrived.
      await within(server.shutdown().catch(() => {}), left === 0 ? graceMs : 0);
      return left;
    },
  };
}

/** Counts the requests in flight: accepted, and not yet answered to the last byte. */
class Traffic {
  phase: "open" | "stopping" | "closed" = "open";
  #count = 0;
  #emptied: (() => void) | undefined;

  enter(completed: Promise<void>): void {
    this.#count++;
    const end = beginRequest();
    // A client that disconnects also ends its request.
    completed.catch(() => {}).finally(() => {
      end();
      this.#count--;
      if (this.#count === 0) this.#emptied?.();
    });
  }

  /** Asks clients not to reuse the connection while the server is stopping. */
  async answer(answering: Promise<Response>): Promise<Response> {
    const response = await answering;
    if (this.phase === "open") return response;
    const last = new Response(response.body, response);
    last.headers.set("connection", "close");
    return last;
  }

  /** Waits until no request is in flight, at most `limitMs`. Returns the number of those left. */
  async settled(limitMs: number): Promise<number> {
    if (this.#count === 0) return 0;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#emptied = resolve;
    const timer = setTimeout(resolve, limitMs);
    await promise;
    clearTimeout(timer);
    return this.#count;
  }
}

function unavailable(): Response {
  const headers = { "connection": "close", "retry-after": "5" };
  return Response.json({ detail: "The service is stopping." }, { status: 503, headers });
}

function internalError(error: unknown, log: Logger): Response {
  log.log("error", "defect", {
    error: stackOf(error),
  });
  return Response.json({ detail: "Internal server error." }, { status: 500 });
}

function hostnameOf(address: Deno.Addr): string {
  return "hostname" in address ? address.hostname : "";
}

/** Returns the URL of a socket. IPv6 addresses are in brackets (RFC 3986 §3.2.2). */
export function listenerUrl({ hostname, port }: Pick<Deno.NetAddr, "hostname" | "port">): string {
  return `http://${hostname.includes(":") ? `[${hostname}]` : hostname}:${port}/`;
}

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/** Waits for work, but at most `ms`. */
async function within(work: Promise<void>, ms: number): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, ms);
  await Promise.race([work, promise]);
  clearTimeout(timer);
}

/** Listening for requests, and stopping without cutting one off. */

import { stackOf } from "./base/errors.ts";
import { STOP_GRACE_MS, STOP_LIMIT_MS } from "./base/limits.ts";
import type { Logger } from "./base/log.ts";

/** What answers requests. */
export type Handler = (
  request: Request,
  info: { readonly remoteAddr: { readonly hostname: string } },
) => Promise<Response>;

/** How to listen. The times are for tests. */
export interface ServerOptions {
  readonly handler: Handler;
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
  readonly log: Logger;
  readonly graceMs?: number;
  readonly limitMs?: number;
}

/** A server that listens. */
export interface Server {
  /** Address with the port that it has got, `http://127.0.0.1:8000/`. */
  readonly url: string;
  /**
   * Stops: for a moment requests that are on their way are still taken, then new ones are turned away (503), and
   * when all that are in flight have ended and a moment more, or at the limit, the port is closed. Gives the number of requests cut off.
   */
  stop(): Promise<number>;
}

/** Starts to listen. Throws what `Deno.serve` throws (`Deno.errors.AddrInUse`). */
export function startServer(options: ServerOptions): Server {
  const traffic = new Traffic();
  const server = Deno.serve({
    hostname: options.host,
    port: options.port,
    onListen: () => {},
    onError: (error) => internalError(error, options.log),
  }, (request, info) => {
    if (traffic.phase === "closed") return turnedAway();
    traffic.enter(info.completed);
    return traffic.answer(
      options.handler(request, { remoteAddr: { hostname: hostnameOf(info.remoteAddr) } }),
    );
  });
  const { graceMs = STOP_GRACE_MS, limitMs = STOP_LIMIT_MS } = options;
  return {
    url: objectUrl(server.addr),
    async stop(): Promise<number> {
      const deadline = performance.now() + limitMs;
      traffic.phase = "leaving";
      await sleep(Math.min(graceMs, limitMs));
      traffic.phase = "closed";
      const left = await traffic.settled(Math.max(0, limitMs - graceMs));
      // Whoever was just about to ask is told so: a port that closes at once would reset his connection.
      if (left === 0) await sleep(Math.max(0, Math.min(graceMs, deadline - performance.now())));
      // Closing waits without end for connections whose request was answered before its body had arrived.
      await within(server.shutdown(), left === 0 ? graceMs : 0);
      return left;
    },
  };
}

/** The requests in flight: taken in and not yet answered to the last byte. */
class Traffic {
  phase: "open" | "leaving" | "closed" = "open";
  #count = 0;
  #emptied: (() => void) | undefined;

  enter(completed: Promise<void>): void {
    this.#count++;
    // A client that went away has ended its request too.
    completed.catch(() => {}).finally(() => {
      this.#count--;
      if (this.#count === 0) this.#emptied?.();
    });
  }

  /** Tells clients of a server that is about to leave not to use the connection again. */
  async answer(answering: Promise<Response>): Promise<Response> {
    const response = await answering;
    if (this.phase === "open") return response;
    const last = new Response(response.body, response);
    last.headers.set("connection", "close");
    return last;
  }

  /** Waits until nothing is in flight, but not longer than `limitMs`; gives how many are left. */
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

function turnedAway(): Response {
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

/** The web address of a socket; an IPv6 address stands in brackets (RFC 3986 §3.2.2). */
export function objectUrl({ hostname, port }: Pick<Deno.NetAddr, "hostname" | "port">): string {
  return `http://${hostname.includes(":") ? `[${hostname}]` : hostname}:${port}/`;
}

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/** Waits for work, but not longer than `ms`. */
async function within(work: Promise<void>, ms: number): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, ms);
  await Promise.race([work, promise]);
  clearTimeout(timer);
}

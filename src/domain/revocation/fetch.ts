/**
 * Sends requests to the hosts that certificates name. Their URLs are not trustworthy: only checked addresses are
 * connected to, one request at a time per host, with limits of time and size.
 */

import type { Context } from "../../auth/mod.ts";
import { type Millis, MINUTE_MS } from "../../base/clock.ts";
import { perDatabase } from "../../db/mod.ts";
import { checkTarget, OutboundError, type OutboundReply } from "../../http/mod.ts";

/** Maximum number of redirects that are followed, on the same host only. */
const MAX_REDIRECTS = 2;
/** Time limit of one request. */
const TIMEOUT_MS = 10_000;
/** Maximum number of requests of a process that wait for one host. */
const MAX_WAITING = 20;

export interface RevocationRequest {
  readonly url: string;
  /** With a body it is a POST. */
  readonly body?: Uint8Array<ArrayBuffer>;
  readonly headers: Readonly<Record<string, string>>;
  readonly maxBytes: number;
}

/** The body of a response. */
export interface Fetched {
  readonly status: number;
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly etag: string;
  readonly retryAfter: string | null;
}

/** The requests to each host that wait or run. */
const hostsOf = perDatabase(() => new Map<string, { last: Promise<unknown>; waiting: number }>());

/** Sends a request when no other one to its host is left. Throws {@link OutboundError}. */
export async function fetchInTurn(ctx: Context, request: RevocationRequest): Promise<Fetched> {
  const hosts = hostsOf(ctx.database);
  const host = URL.parse(request.url)?.host ?? "";
  const turn = hosts.get(host) ?? { last: Promise.resolve(), waiting: 0 };
  if (turn.waiting >= MAX_WAITING) throw new OutboundError("Too many requests wait for this host.");
  turn.waiting++;
  hosts.set(host, turn);
  const sent = turn.last.then(() => follow(ctx, request));
  turn.last = sent.catch(() => undefined);
  try {
    return await sent;
  } finally {
    if (--turn.waiting === 0) hosts.delete(host);
  }
}

async function follow(ctx: Context, request: RevocationRequest): Promise<Fetched> {
  let url = request.url;
  for (let redirects = 0;; redirects++) {
    const reply = await send(ctx, { ...request, url });
    const { status, bytes = new Uint8Array(), etag, retryAfter } = reply;
    if (status >= 300 && status < 400 && status !== 304) {
      url = redirected(url, reply, redirects);
      continue;
    }
    // One byte more is requested than is accepted.
    if (bytes.length > request.maxBytes) {
      throw new OutboundError(`The answer is larger than ${request.maxBytes} bytes.`);
    }
    return { status, bytes, etag: etag ?? "", retryAfter };
  }
}

function redirected(from: string, { location }: OutboundReply, redirects: number): string {
  const target = URL.parse(location ?? "", from);
  if (target === null || redirects >= MAX_REDIRECTS) {
    throw new OutboundError("The host redirects without end.");
  }
  if (target.hostname !== new URL(from).hostname) {
    throw new OutboundError("The host redirects to another host, which is not followed.");
  }
  return target.href;
}

async function send(
  { send: sendRequest, settings: { revocation } }: Context,
  { url, body, headers, maxBytes }: RevocationRequest,
): Promise<OutboundReply> {
  if (sendRequest === undefined) throw new OutboundError("Requests cannot be sent here.");
  return await sendRequest({
    url,
    method: body === undefined ? "GET" : "POST",
    headers: { "accept-encoding": "identity", ...headers },
    body: "",
    ...(body === undefined ? {} : { bytes: body }),
    timeoutMs: TIMEOUT_MS,
    maxReplyBytes: maxBytes + 1,
    binary: true,
    allowed: {
      names: [],
      networks: revocation.allowedNetworks,
      setting: "CERTMGR_REVOCATION_ALLOWED_NETWORKS",
    },
  });
}

/** Returns whether a URL may be requested, as far as is known without DNS. */
export function isWebUrl(text: string): boolean {
  const url = URL.parse(text);
  return url !== null && checkTarget(text, { names: [url.hostname], networks: [] }) === undefined;
}

/** Number of hosts to which requests are sent at the same time. */
const HOSTS_AT_ONCE = 8;
/** Time after which no further request to a host begins, so that nobody waits long for a slow one. */
const HOST_MS = 10_000;
/** Time after which no further request begins. */
const ASKING_MS = 20_000;

/** Time after which a slow host is asked about the others of its certificates. */
export const SLOW_MS = 10 * MINUTE_MS;

/** Why items were left out: a request to their host failed, their host is slow, or there was no time to ask it. */
export type Leaving = "down" | "slow" | "late";

/**
 * Does work for each item, in the order of each host, and for several hosts at the same time. If it returns false, the
 * host does not answer. Items that are left out are reported.
 */
export async function eachByHost<Item>(
  { clock }: Pick<Context, "clock">,
  items: readonly Item[],
  { urlOf, work, leave }: {
    urlOf: (item: Item) => string;
    work: (item: Item) => Promise<boolean>;
    leave: (items: readonly Item[], why: Leaving) => Promise<void>;
  },
): Promise<void> {
  const hosts = [...Map.groupBy(items, (item) => URL.parse(urlOf(item))?.host ?? "").values()];
  const isWithin = (from: Millis, time: Millis): boolean => {
    const now = clock.now();
    return now >= from && now < from + time;
  };
  const began = clock.now();
  await Promise.all(Array.from({ length: HOSTS_AT_ONCE }, async () => {
    for (let items = hosts.shift(); items !== undefined; items = hosts.shift()) {
      const since = clock.now();
      for (const [index, item] of items.entries()) {
        const why = !isWithin(began, ASKING_MS) ? "late" : isWithin(since, HOST_MS) ? undefined : "slow";
        if (why === undefined && await work(item)) continue;
        await leave(items.slice(why === undefined ? index + 1 : index), why ?? "down");
        break;
      }
    }
  }));
}

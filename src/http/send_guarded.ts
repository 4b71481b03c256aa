/** Sends requests only over connections to checked addresses. */

import { textOf } from "../base/findings.ts";
import { Buffer } from "node:buffer";
import { lookup as systemLookup } from "node:dns/promises";
import * as http from "node:http";
import * as https from "node:https";
import { checkAddresses, checkTarget, hostOf, isAddress } from "./check_address.ts";
import {
  endToEndHeaders,
  OutboundError,
  type OutboundReply,
  type OutboundRequest,
  readBody,
  type Resolver,
} from "./request.ts";

/**
 * Sends a request to a checked address of its host. Resolves the name once, checks all its addresses, and
 * connects only to one of these, so that a name that later resolves differently (DNS rebinding) has no
 * effect. TLS still verifies the name. Redirects are not followed. If the body of the response is too long or
 * too slow, returns the part that has arrived. Throws {@link OutboundError}.
 */
export async function sendGuarded(request: OutboundRequest): Promise<OutboundReply> {
  const { promise: expired, resolve: expire } = Promise.withResolvers<"expired">();
  const timer = setTimeout(() => expire("expired"), request.timeoutMs);
  try {
    const addresses = await Promise.race([checkedAddresses(request), expired]);
    if (addresses === "expired") throw tooSlow(request);
    return await exchange(request, { addresses, expired });
  } finally {
    clearTimeout(timer);
  }
}

async function checkedAddresses(request: OutboundRequest): Promise<readonly string[]> {
  const { url, allowed, resolve = resolveBySystem } = request;
  const fault = checkTarget(url, allowed);
  if (fault !== undefined) throw new OutboundError(textOf(fault), { failure: "not_allowed" });
  const host = hostOf(new URL(url));
  const addresses = isAddress(host) ? [host] : await resolved(host, resolve);
  const reason = checkAddresses({ host, addresses }, allowed);
  if (reason !== undefined) {
    throw new OutboundError(`Requests to ${host} are not allowed: ${textOf(reason)}`, {
      failure: "not_allowed",
    });
  }
  return addresses;
}

async function resolved(host: string, resolve: Resolver): Promise<readonly string[]> {
  const addresses = await resolve(host).catch((cause) => {
    throw new OutboundError(`The name ${host} cannot be resolved.`, { failure: "unresolved", cause });
  });
  if (addresses.length === 0) {
    throw new OutboundError(`The name ${host} has no address.`, { failure: "unresolved" });
  }
  return addresses;
}

async function resolveBySystem(host: string): Promise<readonly string[]> {
  return (await systemLookup(host, { all: true })).map(({ address }) => address);
}

/** The type of the `lookup` option of `net.connect`. */
type LookupFunction = (
  host: string,
  options: { all?: boolean },
  answer: (error: Error | null, addresses: unknown, family?: number) => void,
) => void;

/** Returns a lookup that always returns the checked addresses. */
function pinned(addresses: readonly string[]): LookupFunction {
  const found = addresses.map((address) => ({ address, family: address.includes(":") ? 6 : 4 }));
  return (_host, { all }, answer) => {
    if (all) answer(null, found);
    else answer(null, found[0]?.address, found[0]?.family);
  };
}

/** Maximum number of interim responses (`100 Continue`, `103 Early Hints`) before the final one. */
const MAX_INTERIM = 20;

/** Disables proxies (`NODE_USE_ENV_PROXY`), because a proxy would resolve the name again. */
const DIRECT: http.AgentOptions & { proxyEnv: object } = { proxyEnv: {} };

function exchange(
  request: OutboundRequest,
  { addresses, expired }: { addresses: readonly string[]; expired: Promise<unknown> },
): Promise<OutboundReply> {
  const url = new URL(request.url);
  const { promise, resolve, reject } = Promise.withResolvers<OutboundReply>();
  const { request: open, Agent } = url.protocol === "https:" ? https : http;
  let sent: http.ClientRequest;
  try {
    sent = open({
      protocol: url.protocol,
      hostname: hostOf(url),
      port: url.port,
      path: url.pathname + url.search,
      method: request.method,
      headers: {
        ...endToEndHeaders(request.headers),
        "content-length": String(Buffer.byteLength(request.bytes ?? request.body)),
      },
      lookup: pinned(addresses) as never,
      agent: new Agent(DIRECT),
    });
  } catch (error) {
    // The runtime's message may quote the value of the header.
    return Promise.reject(
      new OutboundError("The request has an invalid header or method.", { cause: error }),
    );
  }
  let answered = false;
  sent.on("response", (message: http.IncomingMessage) => {
    answered = true;
    readReply(message, { request, expired, resolve, sent });
  });
  sent.on("upgrade", ({ statusCode = 0 }: http.IncomingMessage) => {
    resolve({ status: statusCode, retryAfter: null, body: "" });
    sent.destroy();
  });
  let interim = 0;
  for (const event of ["continue", "information"]) {
    sent.on(event, () => {
      if (++interim <= MAX_INTERIM) return;
      reject(new OutboundError("The host sends interim responses instead of an answer."));
      sent.destroy();
    });
  }
  sent.on("error", (error: Error) => reject(noAnswer(error)));
  void expired.then(() => {
    if (answered) return;
    reject(tooSlow(request));
    sent.destroy();
  });
  sent.end(request.bytes ?? request.body);
  return promise;
}

function readReply(
  message: http.IncomingMessage,
  { request, expired, resolve, sent }: {
    request: OutboundRequest;
    expired: Promise<unknown>;
    resolve: (reply: OutboundReply) => void;
    sent: http.ClientRequest;
  },
): void {
  const chunks: Uint8Array[] = [];
  let left = request.maxReplyBytes;
  const finish = (): void => {
    resolve({
      status: message.statusCode ?? 0,
      retryAfter: message.headers["retry-after"] ?? null,
      contentType: message.headers["content-type"] ?? null,
      etag: message.headers.etag ?? null,
      location: message.headers.location ?? null,
      ...readBody(chunks, request),
    });
    sent.destroy();
  };
  message.on("data", (chunk: Uint8Array) => {
    chunks.push(chunk);
    left -= chunk.length;
    if (left <= 0) finish();
  });
  for (const event of ["end", "error", "aborted", "close"]) message.on(event, finish);
  void expired.then(finish);
}

function tooSlow({ timeoutMs }: OutboundRequest): OutboundError {
  return new OutboundError(`No answer within ${timeoutMs / 1000} seconds.`, { failure: "timeout" });
}

const MEANINGS: Readonly<Record<string, string>> = {
  ECONNREFUSED: "The connection was refused.",
  ECONNRESET: "The connection was reset.",
  EPIPE: "The connection was closed.",
  EHOSTUNREACH: "The host cannot be reached.",
  ENETUNREACH: "The network cannot be reached.",
  ETIMEDOUT: "The host does not answer.",
};

function noAnswer(error: Error): OutboundError {
  const code = "code" in error ? String(error.code) : "";
  const meaning = MEANINGS[code] ?? `No answer: ${error.message.slice(0, 200)}`;
  return new OutboundError(meaning, { cause: error });
}

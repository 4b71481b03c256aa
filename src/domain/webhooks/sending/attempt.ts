/** Makes one attempt to send a message. */

import { createHmac } from "node:crypto";
import type { Context } from "../../../auth/mod.ts";
import type { Millis } from "../../../base/clock.ts";
import { stackOf } from "../../../base/errors.ts";
import { MAX_REPLY_BYTES } from "../../../base/limits.ts";
import { encodedKey } from "../../../base/webhook_secret.ts";
import { OutboundError, type Send } from "../../../http/mod.ts";
import type { Failure } from "../deliveries/resource.ts";
import type { ClaimedMessage } from "./claim.ts";

/** Time limit of a delivery attempt. */
const DELIVERY_TIMEOUT_MS = 10_000;

/** The outcome of a request. */
export interface SendResult {
  /** HTTP status of the response; null if there was none. */
  readonly status: number | null;
  readonly replyBody: string;
  readonly retryAfter: string | null;
  readonly durationMs: number;
  /** null if the attempt succeeded. */
  readonly failure: Failure | null;
  /** Why the attempt failed; empty if it succeeded. */
  readonly error: string;
}

/** The outcome of an attempt. */
export interface DeliveryOutcome extends SendResult {
  readonly message: ClaimedMessage;
}

const USER_AGENT = "certmgr-webhooks";

/** Sends a message once. Never throws. */
export async function attemptDelivery(
  ctx: Context,
  message: ClaimedMessage,
  send: Send,
): Promise<DeliveryOutcome> {
  const { url, method, body, secret, eventId } = message;
  const headers: Record<string, string> = JSON.parse(message.headers);
  const exchange = await sendOnce(ctx, {
    url,
    method,
    body,
    headers: { ...headers, ...signatureHeaders({ secret, id: eventId, body, now: ctx.clock.now() }) },
    secrets: [secret, ...Object.values(headers)],
    delivery: message.id,
  }, send);
  return { message, ...exchange };
}

/** A request to a receiver. */
export interface DeliveryRequest {
  readonly url: string;
  readonly method: string;
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Texts that are removed from the response before it is stored. */
  readonly secrets: readonly string[];
  /** Id of the delivery, for the log. */
  readonly delivery: number;
}

/** Sends a JSON request once. Never throws. */
export async function sendOnce(
  ctx: Context,
  { url, method, body, headers, secrets, delivery }: DeliveryRequest,
  send: Send,
): Promise<SendResult> {
  const started = performance.now();
  const ended = (rest: Omit<SendResult, "durationMs">): SendResult => ({
    durationMs: Math.round(performance.now() - started),
    ...rest,
  });
  try {
    const reply = await send({
      url,
      method,
      body,
      // Callers never set these names.
      headers: { "content-type": "application/json", "user-agent": USER_AGENT, ...headers },
      timeoutMs: DELIVERY_TIMEOUT_MS,
      maxReplyBytes: MAX_REPLY_BYTES,
      allowed: ctx.settings.allowedTargets,
    });
    const { status, retryAfter } = reply;
    const replyBody = withoutSecrets(reply.body, secrets);
    return ended({
      status,
      replyBody,
      retryAfter,
      ...status >= 200 && status <= 299
        ? { failure: null, error: "" }
        : { failure: "refused", error: `The receiver answered ${status}.` },
    });
  } catch (error) {
    if (!(error instanceof OutboundError)) {
      ctx.log.log("error", "delivery defect", { delivery, error: stackOf(error) });
    }
    const { failure, message } = error instanceof OutboundError
      ? error
      : { failure: "internal" as const, message: "The message could not be sent." };
    return ended({ status: null, replyBody: "", retryAfter: null, failure, error: message });
  }
}

/** Replaces, in the log, a secret that a receiver has sent back. */
const CONCEALED = "[concealed]";
/** Shorter values are not secrets, and may occur anywhere by coincidence. */
const MIN_CONCEALED_CHARS = 8;

/**
 * Removes secrets from a response body: some receivers return the headers of the request, and other users can
 * read the log.
 */
function withoutSecrets(text: string, secrets: readonly string[]): string {
  return secrets.filter((value) => value.length >= MIN_CONCEALED_CHARS)
    .toSorted((a, b) => b.length - a.length)
    .reduce((kept, value) => kept.replaceAll(value, CONCEALED), text);
}

/**
 * Returns the headers of a message: those of Standard Webhooks (HMAC-SHA256 of id, time in seconds and body), and
 * NetBox's `X-Hook-Signature` (HMAC-SHA512 of the body, keyed with the text of the secret). Without a secret there are
 * no signatures.
 */
export function signatureHeaders(
  { secret, id, body, now }: { secret: string; id: string; body: string; now: Millis },
): Record<string, string> {
  const timestamp = String(Math.floor(now / 1000));
  const headers = { "webhook-id": id, "webhook-timestamp": timestamp };
  if (secret === "") return headers;
  const signature = createHmac("sha256", keyOf(secret)).update(`${id}.${timestamp}.${body}`).digest("base64");
  return {
    ...headers,
    "webhook-signature": `v1,${signature}`,
    "x-hook-signature": createHmac("sha512", secret).update(body).digest("hex"),
  };
}

/**
 * Returns the key for Standard Webhooks: decoded from `whsec_` and base64, or the bytes of any other secret.
 */
function keyOf(secret: string): Uint8Array {
  return encodedKey(secret) ?? new TextEncoder().encode(secret);
}

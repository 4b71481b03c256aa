/** Cookies of the pages: session, and the message for the next page. */

import { parse, serialize } from "hono/utils/cookie";
import { sessionCookieName } from "../auth/mod.ts";
import type { Client } from "../app_options.ts";
import { SESSION_MS } from "../base/limits.ts";
import type { Flash } from "./call.ts";

const FLASH_COOKIE = "certmgr_flash";
/** Seconds for which a message waits for the next page. */
const FLASH_SECONDS = 60;
/** Maximum characters of a message; a cookie has up to 4 KiB, and an encoded character up to twelve bytes. */
const MAX_FLASH_CHARS = 250;
const FLOW_COOKIE = "certmgr_sign_in";
/** Seconds in which a sign-in must be completed. */
const FLOW_SECONDS = 600;

export interface Cookies {
  readonly secret: string | undefined;
  readonly flash: Flash | undefined;
}

/** Reads the cookies of a request; invalid ones are ignored. */
export function readCookies({ request, client }: { request: Request; client: Client }): Cookies {
  const given = parse(request.headers.get("cookie") ?? "");
  return {
    secret: given[sessionCookieName(client.origin)],
    flash: readFlash(given[FLASH_COOKIE]),
  };
}

const KINDS = ["success", "info", "warn", "error"] as const;
const ACTIONS = ["status", "assign_to", "contact_to", "edit"] as const;
/** Kind, undo, link and text of a message. */
const FLASH =
  /^(success|info|warn|error)(?:=(status|assign_to|contact_to|edit) ([0-9a-f-]{36})(\/[a-z-]+\/)?)?(?:>(\/[a-z-]+\/(?:\?[\w=&]+)?) ([^:]+))?:(.+)$/s;

function readFlash(text: string | undefined): Flash | undefined {
  const match = FLASH.exec(text ?? "");
  if (match === null) return undefined;
  const [, given, undone, requestId = "", list, path, label = "", rest = ""] = match;
  const action = ACTIONS.find((one) => one === undone);
  return {
    kind: KINDS.find((one) => one === given) ?? "info",
    text: rest,
    ...(action === undefined ? {} : { undo: { action, requestId, ...(list === undefined ? {} : { list }) } }),
    ...(path === undefined ? {} : { link: { path, label } }),
  };
}

type Options = NonNullable<Parameters<typeof serialize>[2]>;

/** Serializes a cookie: hidden from scripts and cross-site requests, and `Secure` if the client uses https. */
function cookie(
  { origin }: Client,
  { name, value, maxAge }: { name: string; value: string; maxAge: number },
): string {
  const options: Options = {
    path: "/",
    httpOnly: true,
    sameSite: "Lax",
    secure: origin.startsWith("https:"),
    maxAge,
  };
  return serialize(name, value, options);
}

export function sessionCookie(client: Client, secret: string): string {
  return cookie(client, { name: sessionCookieName(client.origin), value: secret, maxAge: SESSION_MS / 1000 });
}

/** Returns the cookie that deletes the session's. */
export function noSessionCookie(client: Client): string {
  return cookie(client, { name: sessionCookieName(client.origin), value: "", maxAge: 0 });
}

/** Returns the cookie with a message for the next page. */
export function flashCookie(client: Client, { kind, text, undo, link }: Flash): string {
  const short = text.length > MAX_FLASH_CHARS ? `${text.slice(0, MAX_FLASH_CHARS)}…` : text;
  return cookie(client, {
    name: FLASH_COOKIE,
    value: `${kind}${undo === undefined ? "" : `=${undo.action} ${undo.requestId}${undo.list ?? ""}`}${
      link === undefined ? "" : `>${link.path} ${link.label}`
    }:${short.toWellFormed()}`,
    maxAge: FLASH_SECONDS,
  });
}

/** Returns the cookie that deletes the message after it was shown. */
export function noFlashCookie(client: Client): string {
  return cookie(client, { name: FLASH_COOKIE, value: "", maxAge: 0 });
}

/**
 * Returns the cookie that stores a sign-in until it is completed: at a provider, or by the second factor. Over https
 * only this host can set it.
 */
export function flowCookie(client: Client, sealed: string): string {
  return cookie(client, { name: flowCookieName(client), value: sealed, maxAge: FLOW_SECONDS });
}

/** Returns the cookie that deletes the stored sign-in. */
export function noFlowCookie(client: Client): string {
  return cookie(client, { name: flowCookieName(client), value: "", maxAge: 0 });
}

/** Returns the sealed sign-in of the browser's cookie. */
export function readFlowCookie(
  { request, client }: { request: Request; client: Client },
): string | undefined {
  return parse(request.headers.get("cookie") ?? "")[flowCookieName(client)];
}

function flowCookieName({ origin }: Client): string {
  return origin.startsWith("https:") ? `__Host-${FLOW_COOKIE}` : FLOW_COOKIE;
}

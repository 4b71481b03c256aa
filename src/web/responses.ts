/** Responses of pages: HTML documents and redirects. */

import type { Client } from "../app_options.ts";
import { AppError, type AppErrorCode } from "../base/errors.ts";
import { flashCookie, noFlashCookie } from "./cookies.ts";
import type { Resource } from "../resource/mod.ts";
import { type Call, type Flash, ID, idOf, type PublicCall, type Route } from "./call.ts";
import { messagesOf } from "./messages.ts";
import { listPath, objectPath } from "./paths.ts";

/** Allows resources of this origin only, and no inline scripts or styles. */
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; font-src 'self'; img-src 'self' data:; " +
  "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

/** Headers of every page. */
const PAGE_HEADERS: Readonly<Record<string, string>> = {
  "content-type": "text/html; charset=utf-8",
  "content-security-policy": POLICY,
  // Pages must not be visible with the back button after signing out.
  "cache-control": "no-store",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "referrer-policy": "same-origin",
  "x-frame-options": "DENY",
};

/** Returns a page. Clears the message that it shows. */
export function document(call: PublicCall, html: string, status = 200): Response {
  const headers = new Headers(PAGE_HEADERS);
  if (call.flash !== undefined) headers.append("set-cookie", noFlashCookie(call.client));
  return new Response(`<!doctype html>${html}`, { status, headers });
}

/** Returns a part of a page for a script. The message for the next page is not cleared. */
export function fragment(html: string): Response {
  return new Response(html, { headers: new Headers(PAGE_HEADERS) });
}

/** Redirects to another page after a form was posted (RFC 9110 §15.4.4), with a message about the result. */
export function seeOther(
  { client }: { client: Client },
  path: string,
  options: { flash?: Flash; cookies?: readonly string[] } = {},
): Response {
  const headers = new Headers({ location: path, "cache-control": "no-store" });
  if (options.flash !== undefined) headers.append("set-cookie", flashCookie(client, options.flash));
  for (const cookie of options.cookies ?? []) headers.append("set-cookie", cookie);
  return new Response(null, { status: 303, headers });
}

/** Redirects to a page that reports success. */
export function done(call: PublicCall, path: string, text: string): Response {
  return seeOther(call, path, { flash: { kind: "success", text } });
}

/** Redirects to a page that reports what is stored, and that something is left to do. */
export function warned(call: PublicCall, path: string, text: string): Response {
  return seeOther(call, path, { flash: { kind: "warn", text } });
}

/** Redirects to a page that shows an error. */
export function refused(call: PublicCall, path: string, text: string): Response {
  return seeOther(call, path, { flash: { kind: "error", text } });
}

/** Runs the action of a form. Reports a refusal with one of `codes` on the page `back`, and throws any other. */
export async function attempt(
  { call, back, codes }: { call: PublicCall; back: string; codes: readonly AppErrorCode[] },
  work: () => Promise<Response>,
): Promise<Response> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof AppError) || !codes.includes(error.code)) throw error;
    return refused(call, back, messagesOf(error).join(" "));
  }
}

/** Returns the route of a button on the page of an object, which reports the result or the refusal there. */
export function objectAction<Result>(
  resource: Pick<Resource, "objectType">,
  path: string,
  { run, codes, report }: {
    run: (call: Call, id: number) => Promise<Result>;
    /** Codes of the refusals that the page shows. */
    codes: readonly AppErrorCode[];
    report: string | ((result: Result) => string);
  },
): Route {
  const handle = (call: Call): Promise<Response> => {
    const id = idOf(call);
    const back = objectPath(resource, id);
    return attempt({ call, back, codes }, async () => {
      const result = await run(call, id);
      return done(call, back, typeof report === "string" ? report : report(result));
    });
  };
  return { method: "POST", path: `${listPath(resource)}${ID}/${path}`, handle };
}

/** Returns a path on this site from a form field; `/` for anything else. */
export function ownPath(given: FormDataEntryValue | null): string {
  if (typeof given !== "string" || !/^\/(?!\/)[!-[\]-~]*$/.test(given)) return "/";
  return given;
}

/** The cookies of the pages: the session, the theme, the columns of the list, and the sentence for the next page. */

import { parse, serialize } from "hono/utils/cookie";
import { sessionCookieName } from "../auth/mod.ts";
import type { Client } from "../app_options.ts";
import { SESSION_MS } from "../base/limits.ts";
import type { Flash, Theme } from "./call.ts";

const THEME_COOKIE = "certmgr_theme";
const FLASH_COOKIE = "certmgr_flash";
const COLUMNS_COOKIE = "certmgr_columns";
/** Seconds that a sentence waits for its page. */
const FLASH_SECONDS = 60;
/** Characters of a sentence; a browser keeps 4 KiB in a cookie, and a character may take twelve of them. */
const MAX_FLASH_CHARS = 250;
const YEAR_SECONDS = 365 * 86_400;

/** What a browser sent. */
export interface Cookies {
  readonly secret: string | undefined;
  readonly theme: Theme;
  readonly flash: Flash | undefined;
  /** Names of columns, whether there are any such or not. */
  readonly columns: readonly string[];
}

/** Reads the cookies of a request; strange ones are none. */
export function readCookies({ request, client }: { request: Request; client: Client }): Cookies {
  const given = parse(request.headers.get("cookie") ?? "");
  const theme = given[THEME_COOKIE];
  return {
    secret: given[sessionCookieName(client.origin)],
    theme: theme === "light" || theme === "dark" ? theme : "auto",
    flash: readFlash(given[FLASH_COOKIE]),
    columns: given[COLUMNS_COOKIE]?.split(".") ?? [],
  };
}

function readFlash(text: string | undefined): Flash | undefined {
  const match = /^(success|error):(.+)$/s.exec(text ?? "");
  return match === null ? undefined : { kind: match[1] as Flash["kind"], text: match[2] as string };
}

type Options = NonNullable<Parameters<typeof serialize>[2]>;

/** Not for scripts, not for requests from other sites; over https only where the client came by https. */
function cookie({ origin }: Client, name: string, value: string, maxAge: number): string {
  const options: Options = {
    path: "/",
    httpOnly: true,
    sameSite: "Lax",
    secure: origin.startsWith("https:"),
    maxAge,
  };
  return serialize(name, value, options);
}

/** Keeps a session. */
export function sessionCookie(client: Client, secret: string): string {
  return cookie(client, sessionCookieName(client.origin), secret, SESSION_MS / 1000);
}

/** Forgets it. */
export function noSessionCookie(client: Client): string {
  return cookie(client, sessionCookieName(client.origin), "", 0);
}

/** Keeps the theme. */
export function themeCookie(client: Client, theme: Theme): string {
  return cookie(client, THEME_COOKIE, theme, theme === "auto" ? 0 : YEAR_SECONDS);
}

/** Keeps the columns that somebody has chosen for the list of certificates. */
export function columnsCookie(client: Client, names: readonly string[]): string {
  return cookie(client, COLUMNS_COOKIE, names.join("."), YEAR_SECONDS);
}

/** Keeps a sentence for the next page. */
export function flashCookie(client: Client, { kind, text }: Flash): string {
  const short = text.length > MAX_FLASH_CHARS ? `${text.slice(0, MAX_FLASH_CHARS)}…` : text;
  return cookie(client, FLASH_COOKIE, `${kind}:${short.toWellFormed()}`, FLASH_SECONDS);
}

/** Forgets it: it has been shown. */
export function noFlashCookie(client: Client): string {
  return cookie(client, FLASH_COOKIE, "", 0);
}

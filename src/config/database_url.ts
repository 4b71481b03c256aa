/** The location of the database, a local file or a server, and how long it may take. */

import { DATABASE_TIMEOUT_S, QUERY_TIMEOUT_S } from "../base/limits.ts";
import { webUrlFault } from "../base/web_url.ts";
import { InvalidValue, milliseconds, setting } from "./parsers.ts";

export const DATABASE_TIMEOUTS = {
  databaseTimeoutMs: setting("CERTMGR_DATABASE_TIMEOUT", {
    description:
      "Seconds within which the libSQL server must answer; otherwise the request is answered with 503.",
    default: String(DATABASE_TIMEOUT_S),
    parse: milliseconds(1, 60),
  }),
  queryTimeoutMs: setting("CERTMGR_QUERY_TIMEOUT", {
    description:
      "Seconds within which a long search or report in a database file must end; otherwise the request is answered with 503.",
    default: String(QUERY_TIMEOUT_S),
    parse: milliseconds(1, 600),
  }),
};

export type DatabaseLocation =
  | { readonly kind: "file"; readonly path: string }
  | { readonly kind: "remote"; readonly url: string };

const EXPECTED =
  "file:<path>, libsql://<host>, http://<host> or https://<host>, without user, password or token";

/** Parses `file:data/certmgr.db`, `file:///srv/certmgr.db`, `libsql://…`, `http://…`, `https://…`. */
export function databaseLocation(text: string): DatabaseLocation {
  return text.startsWith("file:") ? fileLocation(text) : remoteLocation(text);
}

/** Parses the path after `file:`. Without a leading slash, it is relative to the working directory. */
function fileLocation(text: string): DatabaseLocation {
  const rest = text.slice("file:".length);
  const path = decode(rest.startsWith("//") ? rest.replace(/^\/\/(localhost)?(?=\/)/, "") : rest);
  // `file:`, `file:.`, `file:data/` name no file; `file::memory:` would be lost with the process.
  // deno-lint-ignore no-control-regex -- a path holds none
  const invalid = path === undefined || /^$|^\/\/|(^|\/)\.{0,2}$|^:memory:|[?#\x00-\x1f\x7f]/.test(path);
  if (invalid) throw new InvalidValue(EXPECTED);
  return { kind: "file", path };
}

function remoteLocation(text: string): DatabaseLocation {
  const valid = /^(libsql|https?):/i.test(text) &&
    webUrlFault(text.replace(/^libsql:/i, "https:")) === undefined;
  const url = valid ? URL.parse(text) : null;
  if (url === null || url.username !== "" || url.password !== "" || url.hash !== "") {
    throw new InvalidValue(EXPECTED);
  }
  // `tls=0` connects to a libSQL server without TLS. A token in the URL is refused, because it would be
  // logged.
  if (!["", "?tls=0", "?tls=1"].includes(url.search)) throw new InvalidValue(EXPECTED);
  return { kind: "remote", url: text };
}

function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

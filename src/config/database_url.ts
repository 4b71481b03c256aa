/** Where the database is: a file of this machine, or a server. */

import { webUrlFault } from "../base/web_url.ts";
import { UnfitValue } from "./setting.ts";

/** A database that was asked for. */
export type DatabaseLocation =
  | { readonly kind: "file"; readonly path: string }
  | { readonly kind: "remote"; readonly url: string };

const WANT =
  "file:<path>, libsql://<host>, http://<host> or https://<host>, without user, password or token in it";

/** Reads `file:data/certmgr.db`, `file:///srv/certmgr.db`, `libsql://…`, `http://…`, `https://…`. */
export function databaseLocation(text: string): DatabaseLocation {
  return text.startsWith("file:") ? fileLocation(text) : remoteLocation(text);
}

/** Reads the address of a server: `libsql://…`, `http://…`, `https://…`. */
export function databaseServer(text: string): DatabaseLocation & { readonly kind: "remote" } {
  return remoteLocation(text);
}

/** After `file:` stands a path, relative to the working folder if it has no slash in front. */
function fileLocation(text: string): DatabaseLocation {
  const rest = text.slice("file:".length);
  const path = decode(rest.startsWith("//") ? rest.replace(/^\/\/(localhost)?(?=\/)/, "") : rest);
  // `file:`, `file:.`, `file:data/` name no file; `file::memory:` would be gone with the process.
  // deno-lint-ignore no-control-regex -- a path holds none
  const unfit = path === undefined || /^$|^\/\/|(^|\/)\.{0,2}$|^:memory:|[?#\x00-\x1f\x7f]/.test(path);
  if (unfit) throw new UnfitValue(WANT);
  return { kind: "file", path };
}

function remoteLocation(text: string): DatabaseLocation & { readonly kind: "remote" } {
  const fit = /^(libsql|https?):/i.test(text) &&
    webUrlFault(text.replace(/^libsql:/i, "https:")) === undefined;
  const url = fit ? URL.parse(text) : null;
  if (url === null || url.username !== "" || url.password !== "" || url.hash !== "") {
    throw new UnfitValue(WANT);
  }
  // `tls=0` reaches a libSQL server that speaks no TLS; a token in the address would end up in logs.
  if (!["", "?tls=0", "?tls=1"].includes(url.search)) throw new UnfitValue(WANT);
  return { kind: "remote", url: text };
}

function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

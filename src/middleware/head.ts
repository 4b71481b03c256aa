/** HEAD: the headers of GET, with the length that its body would have (RFC 9110 §9.3.2). */

import type { Context } from "hono";
import type { AppEnv } from "../app_options.ts";
import { readStart } from "./read_start.ts";

/** Sets `content-length`, which Hono loses with the body. A body that streams is cancelled: its length is unknown. */
export function lengthOfHead(c: Context<AppEnv>): Promise<void> | void {
  // The runtime sends a body of known length as one piece only while nobody has looked at its stream.
  if (c.req.method === "HEAD" && c.res.body !== null) return replaceBody(c, c.res.body);
}

async function replaceBody(c: Context<AppEnv>, body: ReadableStream<Uint8Array<ArrayBuffer>>): Promise<void> {
  const start = await readStart(body);
  if ("whole" in start) c.res.headers.set("content-length", String(start.whole.length));
  else await start.stream.cancel();
  c.res = new Response(null, c.res);
}

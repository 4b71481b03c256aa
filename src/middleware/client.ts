/** Finds the sender of a request and the origin it was sent to. Forwarded headers count from trusted proxies only. */

import { inNetworks } from "../auth/mod.ts";
import type { Client } from "../app_options.ts";

/** Reads the sender. `X-Forwarded-For` is read from the right, as far as the addresses are trusted proxies. */
export function readClient(
  request: Request,
  options: {
    remote: string | null;
    trustedProxies: readonly string[];
    baseUrl: string | undefined;
    url: URL;
  },
): Client {
  const { remote, trustedProxies, baseUrl, url } = options;
  const trusted = (address: string): boolean =>
    trustedProxies.length > 0 && inNetworks(address, trustedProxies);
  if (remote === null || !trusted(remote)) return { address: remote, origin: baseUrl ?? url.origin };
  let address = remote;
  const hops = (request.headers.get("x-forwarded-for") ?? "").split(",").map((hop) => hop.trim()).filter(
    Boolean,
  );
  while (hops.length > 0 && trusted(address)) address = hops.pop() as string;
  return { address, origin: baseUrl ?? forwardedOrigin(request, url) };
}

function forwardedOrigin(request: Request, url: URL): string {
  const protocol = request.headers.get("x-forwarded-proto")?.trim().toLowerCase();
  const host = request.headers.get("x-forwarded-host")?.trim();
  const scheme = protocol === "https" || protocol === "http" ? protocol : url.protocol.slice(0, -1);
  const candidate = `${scheme}://${host ?? url.host}`;
  return URL.canParse(candidate) ? new URL(candidate).origin : url.origin;
}

/**
 * Decides whether a certificate is for a host (RFC 9525), by its subject alternative names only and never by
 * its common name.
 */

import { readHost } from "../base/host_name.ts";
import type { GeneralName } from "./types.ts";

/**
 * Returns whether the names cover a host. `host` is a lower-case name or a canonical address; an address
 * matches only IP names. A wildcard must be the whole first label, and covers exactly one label (RFC 9525
 * §6.3).
 */
export function coversHost(names: readonly GeneralName[], host: string): boolean {
  const isAddress = host.includes(":") || /^[\d.]+$/.test(host);
  return names.some(({ kind, value }) =>
    isAddress
      ? kind === "ip" && readHost(value) === host
      : kind === "dns" && coversName(value.toLowerCase(), host)
  );
}

function coversName(pattern: string, host: string): boolean {
  if (pattern === host) return true;
  if (!pattern.startsWith("*.")) return false;
  const rest = pattern.slice(1);
  const first = host.indexOf(".");
  return first > 0 && host.slice(first) === rest && !rest.includes("*");
}

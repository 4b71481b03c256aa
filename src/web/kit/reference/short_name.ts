/** Short names of services, by which users know them, of certificates and of issuers. */

import { truncate } from "../components/mod.ts";

/** A port in the name of a service. */
const SERVICE_PORT = /^https? (.*) \(TCP\/([\d, -]+)\)$/;

/** Returns the short name of an object: `https www.example.org (TCP/443)` is `www.example.org:443`. */
export function shortName(name: string): string {
  const [, host, port] = SERVICE_PORT.exec(name) ?? [];
  return host === undefined ? name : `${host}:${port}`;
}

/** The expiry at the end of the name of a certificate, which distinguishes renewals. */
const EXPIRY = / \(expires: ([^()]*)\)$/;

/** Returns the name of a certificate without its expiry; other names stay. */
export function withoutExpiry(name: string): string {
  return name.replace(EXPIRY, "");
}

/** Returns the expiry in the name of a certificate; undefined for other names. */
export function expiryIn(name: string): string | undefined {
  return EXPIRY.exec(name)?.[1];
}

/** Returns a short name of an issuer: its common name, else its organization, else the beginning of the name. */
export function issuerName(issuer: string): string {
  const part = (type: string): string | undefined =>
    new RegExp(`(?:^|[,+])\\s*${type}=((?:\\\\.|[^,+\\\\])+)`, "i").exec(issuer)?.[1]?.replace(/\\(.)/g, "$1")
      .trim();
  return truncate(part("CN") ?? part("O") ?? issuer, 60);
}

/** Short names of services, by which users know them, and of certificates. */

/** A port in the name of a service. */
const SERVICE_PORT = /^https? (.*) \(TCP\/([\d, -]+)\)$/;

/** Returns the short name of an object: `https www.example.org (TCP/443)` is `www.example.org:443`. */
export function shortName(name: string): string {
  const [, host, port] = SERVICE_PORT.exec(name) ?? [];
  return host === undefined ? name : `${host}:${port}`;
}

/** Returns the name of a certificate without its expiry, which distinguishes renewals; other names stay. */
export function withoutExpiry(name: string): string {
  return name.replace(/ \(expires: [^()]*\)$/, "");
}

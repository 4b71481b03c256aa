/** Endpoints in their usual notation: `www.example.com`, `mail.example.com:25/smtp`, `[2001:db8::1]:8443`. */

import { readHost } from "./host_name.ts";

/** Default ports by protocol. */
const PORTS: Readonly<Record<string, number>> = {
  tls: 443,
  smtp: 25,
  imap: 143,
  pop3: 110,
  ldap: 389,
  postgres: 5432,
  mysql: 3306,
  xmpp: 5222,
  "xmpp-server": 5269,
  ftp: 21,
};

export interface EndpointText {
  readonly host: string;
  readonly port: number;
  readonly protocol: string;
}

/** The expected notation, for messages. */
export const EXPECTED_ENDPOINT =
  "a host with an optional port and protocol, such as www.example.com:443 or mail.example.com:25/smtp";

/** Reads a host, and the port and the protocol in the cells after it; undefined if it is none. */
export function readEndpointCells(cells: readonly string[]): EndpointText | undefined {
  const [first = "", port, protocol, ...more] = cells;
  if (more.length > 0) return undefined;
  if (port === undefined) return readEndpoint(first);
  const host = readHost(first);
  const name = host?.includes(":") ? `[${host}]` : host;
  return name === undefined
    ? undefined
    : readEndpoint(`${name}:${port}${protocol === undefined ? "" : `/${protocol}`}`);
}

/** Reads `host`, `host:port`, `host:port/protocol`, or a URL; undefined if it is none of them. */
export function readEndpoint(text: string): EndpointText | undefined {
  const plain = text.trim().replace(/^https:\/\/([^/?#]+).*$/i, "$1");
  const [, host = "", port, protocol = "tls"] =
    /^(\[[^\]]+\]|[^:/]+|[0-9a-f:.]+:[0-9a-f:.]*)(?::(\d{1,5}))?(?:\/([a-z0-9-]+))?$/i
      .exec(plain) ?? [];
  const known = readHost(host);
  const fallback = PORTS[protocol.toLowerCase()];
  const number = port === undefined ? fallback : Number(port);
  if (
    known === undefined || fallback === undefined || number === undefined || number < 1 || number > 65_535
  ) {
    return undefined;
  }
  return { host: known, port: number, protocol: protocol.toLowerCase() };
}

/** The exchanges before TLS begins. */

import type { ProbeProtocol } from "../types.ts";
import type { WireReader } from "../wire.ts";
import { startLdap, startMysql, startPostgres, startXmpp } from "./binary.ts";
import { startFtp, startImap, startPop3, startSmtp } from "./lines.ts";

type Start = (wire: WireReader, host: string) => Promise<void>;

const STARTS: Readonly<Record<ProbeProtocol, Start | undefined>> = {
  tls: undefined,
  smtp: startSmtp,
  imap: startImap,
  pop3: startPop3,
  ldap: startLdap,
  postgres: startPostgres,
  mysql: startMysql,
  xmpp: (wire, host) => startXmpp(wire, { host, namespace: "jabber:client" }),
  "xmpp-server": (wire, host) => startXmpp(wire, { host, namespace: "jabber:server" }),
  ftp: startFtp,
};

/**
 * Asks the server to start TLS. Does nothing for `tls`, where it has already started. Throws a `ProbeError`
 * if the server refuses.
 */
export async function startTls(wire: WireReader, protocol: ProbeProtocol, host: string): Promise<void> {
  await STARTS[protocol]?.(wire, host);
}

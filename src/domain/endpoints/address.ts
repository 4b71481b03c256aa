/** What identifies an endpoint. */

/** The part of an address that decides which name is asked for. */
interface Named {
  readonly host: unknown;
  readonly server_name: unknown;
}

/**
 * Returns the server name as it is stored: null for the host's own name, which is asked for anyway. Two endpoints
 * would otherwise be the same one.
 */
export function storedServerName({ host, server_name }: Named): string | null {
  return server_name === host ? null : server_name as string | null;
}

/** Returns the host, port, protocol and server name as a key; the same for the same endpoint. */
export function addressKey(
  { host, port, protocol, ...named }: Named & { port: unknown; protocol: unknown },
): string {
  return JSON.stringify([host, port, protocol, storedServerName({ host, ...named })]);
}

/** What identifies an endpoint. */

/** The properties of an endpoint that decide which server name a probe sends. */
interface Named {
  readonly host: unknown;
  readonly server_name: unknown;
}

/**
 * Returns the server name as it is stored: null if it is the host's own name, which is the default. Otherwise one
 * endpoint could be stored twice.
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

/** The identity of an endpoint. */

/** The properties of an endpoint that determine which server name a probe sends. */
interface Named {
  readonly host: unknown;
  readonly server_name: unknown;
}

/**
 * Returns the server name as it is stored: null for the host's own name, which is the default. Otherwise an
 * endpoint could be stored twice.
 */
export function storedServerName({ host, server_name }: Named): string | null {
  return server_name === host ? null : server_name as string | null;
}

/** Returns host, port, protocol and server name as a key that is the same for the same endpoint. */
export function addressKey(
  { host, port, protocol, ...named }: Named & { port: unknown; protocol: unknown },
): string {
  return JSON.stringify([host, port, protocol, storedServerName({ host, ...named })]);
}

/** Addresses and ports for servers that tests start. */

/**
 * Returns an address of this machine that no other test uses, so that a port which is free there stays free until a
 * server takes it. Linux listens on all of 127.0.0.0/8.
 */
export function ownAddress(): string {
  const [one, two, three] = crypto.getRandomValues(new Uint8Array(3)) as unknown as [number, number, number];
  return `127.${128 + one % 100}.${two}.${1 + three % 254}`;
}

/** Returns a port on which no process listens now. */
export function freePort(address = "127.0.0.1"): number {
  const listener = Deno.listen({ hostname: address, port: 0 });
  const { port } = listener.addr as Deno.NetAddr;
  listener.close();
  return port;
}

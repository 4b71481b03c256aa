/** Servers to probe: openssl's, with certificates of the test CA, and scripted ones. */

import { stop } from "./stop_process.ts";
import type { TestCertificate } from "./test_ca/mod.ts";

/** A server on a loopback address. */
export interface TlsServer extends AsyncDisposable {
  readonly address: string;
  readonly port: number;
}

/** What a server presents. */
export interface Served {
  readonly leaf: TestCertificate;
  /** Sent after the leaf, in this order. */
  readonly chain?: readonly TestCertificate[];
  /** Further arguments of `openssl s_server`. */
  readonly args?: readonly string[];
  readonly address?: string;
  readonly port?: number;
}

/** Returns a port that was free a moment ago. */
export function freePort(address = "127.0.0.1"): number {
  const listener = Deno.listen({ hostname: address, port: 0 });
  const { port } = listener.addr as Deno.NetAddr;
  listener.close();
  return port;
}

/** `await using server = await opensslServer({ leaf })`. Needs --allow-run=openssl. */
export async function opensslServer(
  {
    leaf,
    chain = [],
    args = [],
    address = "127.0.0.1",
    port = freePort(address),
  }: Served,
): Promise<TlsServer> {
  const folder = await Deno.makeTempDir();
  await Deno.writeTextFile(`${folder}/cert.pem`, leaf.pem);
  await Deno.writeTextFile(`${folder}/key.pem`, leaf.key.privateKeyPem);
  await Deno.writeTextFile(
    `${folder}/chain.pem`,
    chain.map(({ pem }) => pem).join(""),
  );
  const files = ["-cert", `${folder}/cert.pem`, "-key", `${folder}/key.pem`];
  const sent = chain.length === 0 ? [] : ["-cert_chain", `${folder}/chain.pem`];
  const child = new Deno.Command("openssl", {
    args: [
      "s_server",
      "-accept",
      `${address}:${port}`,
      ...files,
      ...sent,
      "-quiet",
      ...args,
    ],
    stdin: "null",
    stdout: "null",
    stderr: "null",
  }).spawn();
  await reachable(address, port);
  return {
    address,
    port,
    async [Symbol.asyncDispose](): Promise<void> {
      await stop(child);
      await Deno.remove(folder, { recursive: true });
    },
  };
}

/** Waits until a server accepts connections. */
async function reachable(address: string, port: number): Promise<void> {
  for (let left = 2_000; left > 0; left--) {
    try {
      (await Deno.connect({ hostname: address, port })).close();
      return;
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 25));
    }
  }
  throw new Error(`Nothing listens on ${address}:${port}`);
}

/** A server that handles each connection by a script; errors of a closed connection are ignored. */
export function scriptedServer(
  script: (connection: Deno.TcpConn) => Promise<void>,
  address = "127.0.0.1",
): TlsServer {
  const listener = Deno.listen({ hostname: address, port: 0 });
  const { port } = listener.addr as Deno.NetAddr;
  const open = new Set<Deno.TcpConn>();
  const working: Promise<void>[] = [];
  const accepting = (async (): Promise<void> => {
    for await (const connection of listener) {
      open.add(connection);
      working.push(
        script(connection).catch(() => {}).finally(() => {
          open.delete(connection);
          try {
            connection.close();
          } catch {
            // The script has closed it.
          }
        }),
      );
    }
  })();
  return {
    address,
    port,
    async [Symbol.asyncDispose](): Promise<void> {
      listener.close();
      for (const connection of open) {
        try {
          connection.close();
        } catch {
          // It was closed in the meantime.
        }
      }
      await accepting.catch(() => {});
      await Promise.all(working);
    },
  };
}

/** Copies bytes between a connection and a TLS server in both directions until either ends. */
export async function relay(
  connection: Deno.TcpConn,
  { address, port }: TlsServer,
): Promise<void> {
  const server = await Deno.connect({ hostname: address, port });
  await Promise.allSettled([
    connection.readable.pipeTo(server.writable),
    server.readable.pipeTo(connection.writable),
  ]);
}

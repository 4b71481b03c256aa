/** Servers to probe: openssl's, with certificates of the test CA, and scripted ones. */

import { stop } from "./stop_process.ts";
import type { TestCertificate } from "./test_ca/mod.ts";
import { TextLineStream } from "./text_lines.ts";

/** A server on a loopback address. */
export interface TlsServer extends AsyncDisposable {
  readonly address: string;
  readonly port: number;
}

/** Certificates that a server presents. */
export interface Served {
  readonly leaf: Pick<TestCertificate, "pem"> & {
    readonly key: Pick<TestCertificate["key"], "privateKeyPem">;
  };
  /** Sent after the leaf, in this order. */
  readonly chain?: readonly TestCertificate[];
  /** Further arguments of `openssl s_server`. */
  readonly args?: readonly string[];
  readonly address?: string;
  /** A free port by default. */
  readonly port?: number;
}

/** Starts a server: `await using server = await opensslServer({ leaf })`. Needs --allow-run=openssl. */
export async function opensslServer(
  { leaf, chain = [], args = [], address = "127.0.0.1", port = 0 }: Served,
): Promise<TlsServer> {
  const folder = await Deno.makeTempDir();
  await Deno.writeTextFile(`${folder}/cert.pem`, leaf.pem);
  await Deno.writeTextFile(`${folder}/key.pem`, leaf.key.privateKeyPem);
  await Deno.writeTextFile(`${folder}/chain.pem`, chain.map(({ pem }) => pem).join(""));
  const files = ["-cert", `${folder}/cert.pem`, "-key", `${folder}/key.pem`];
  const sent = chain.length === 0 ? [] : ["-cert_chain", `${folder}/chain.pem`];
  const child = new Deno.Command("openssl", {
    args: ["s_server", "-accept", `${address}:${port}`, ...files, ...sent, ...args],
    // It closes a connection at the end of its standard input, and prints its address.
    stdin: "piped",
    stdout: "piped",
    stderr: "null",
  }).spawn();
  const lines = child.stdout.pipeThrough(new TextDecoderStream()).pipeThrough(new TextLineStream())
    .getReader();
  const bound = await boundPort(lines, port);
  // The rest is read, too, so that the server never waits for a reader.
  const reading = bound === undefined ? undefined : readToEnd(lines);
  async function end(): Promise<void> {
    await stop(child);
    await child.stdin.abort().catch(() => {}); // the connection may be broken by now
    await reading;
    await Deno.remove(folder, { recursive: true });
  }
  if (bound === undefined) {
    await end();
    throw new Error(`openssl s_server does not listen on ${address}:${port}`);
  }
  return { address, port: bound, [Symbol.asyncDispose]: end };
}

type LineReader = ReadableStreamDefaultReader<string>;

/**
 * Waits until the server accepts connections and returns its port, or undefined if it ends. It prints the port only if
 * it has chosen it.
 */
async function boundPort(lines: LineReader, given: number): Promise<number | undefined> {
  for (;;) {
    const { value, done } = await lines.read();
    if (done) return undefined;
    if (value.startsWith("ACCEPT")) return Number(/:(\d+)$/.exec(value)?.[1] ?? given);
  }
}

async function readToEnd(lines: LineReader): Promise<void> {
  while (!(await lines.read()).done);
}

/** Starts a server that handles each connection by a script; errors of a closed connection are ignored. */
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
          // The connection was closed in the meantime.
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
/** Starts a server in this process, for tests with hundreds of them. It closes a connection when its client does. */
export function inProcessServer(
  { leaf, chain = [], address = "127.0.0.1", port = 0 }: Omit<Served, "args">,
): TlsServer {
  const cert = [leaf, ...chain].map(({ pem }) => pem).join("");
  const listener = Deno.listenTls({ hostname: address, port, cert, key: leaf.key.privateKeyPem });
  const open = new Set<Deno.TlsConn>();
  const accepting = (async (): Promise<void> => {
    for await (const connection of listener) {
      open.add(connection);
      connection.read(new Uint8Array(1)).catch(() => {}).finally(() => {
        if (open.delete(connection)) connection.close();
      });
    }
  })();
  return {
    address,
    port: (listener.addr as Deno.NetAddr).port,
    async [Symbol.asyncDispose](): Promise<void> {
      listener.close();
      for (const connection of open) {
        open.delete(connection);
        connection.close();
      }
      await accepting.catch(() => {});
    },
  };
}

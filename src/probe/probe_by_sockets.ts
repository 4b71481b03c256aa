import { lookup } from "node:dns/promises";
import { connect, type Socket } from "node:net";
import { isAddress, refuseProbe } from "../http/mod.ts";
import { cancellation, readPresented } from "./handshake.ts";
import { AlertError } from "./server_messages.ts";
import { startTls } from "./starttls.ts";
import {
  type Presented,
  type ProbeAnswer,
  ProbeError,
  type ProbeOptions,
  type ProbeTarget,
} from "./types.ts";
import { type Wire, WireReader } from "./bytes.ts";

/** Maximum number of addresses of a name that are probed. */
const MAX_ADDRESSES = 8;
const CONNECT_MS = 5_000;
const TOTAL_MS = 10_000;
const NO_APPLICATION_PROTOCOL = 120;

/**
 * Probes all addresses of a server at the same time, at most {@link MAX_ADDRESSES}. The name is resolved once
 * and each address is checked, so that a name that later resolves differently has no effect. An address that
 * cannot be reached is tried once more.
 */
export async function probeBySockets(
  target: ProbeTarget,
  options: ProbeOptions,
): Promise<readonly ProbeAnswer[]> {
  const { host } = target;
  let addresses: readonly string[];
  try {
    addresses = isAddress(host) ? [host] : await resolved(host, options);
  } catch (error) {
    return [
      unreachable("", error instanceof ProbeError ? error.message : `The name ${host} cannot be resolved.`),
    ];
  }
  return await Promise.all(
    [...new Set(addresses)].slice(0, MAX_ADDRESSES).map((address) => probeAddress(target, address, options)),
  );
}

async function resolved(
  host: string,
  { resolve = bySystem, totalMs = TOTAL_MS }: ProbeOptions,
): Promise<readonly string[]> {
  const addresses = await within(resolve(host), {
    ms: totalMs,
    message: `The name ${host} could not be resolved in time.`,
  });
  if (addresses.length === 0) throw new ProbeError(`The name ${host} has no address.`, "unreachable");
  return addresses;
}

async function bySystem(host: string): Promise<readonly string[]> {
  return (await lookup(host, { all: true })).map(({ address }) => address);
}

async function probeAddress(
  target: ProbeTarget,
  address: string,
  options: ProbeOptions,
): Promise<ProbeAnswer> {
  const refused = refuseProbe(address, options.allowedNetworks);
  if (refused !== undefined) {
    const failure = { kind: "unreachable", message: refused, reason: "not_allowed" } as const;
    return { address, latencyMs: null, failure };
  }
  const first = await attempt(target, address, options);
  return first.failure?.kind === "unreachable" && options.retry !== false
    ? await attempt(target, address, options)
    : first;
}

async function attempt(
  target: ProbeTarget,
  address: string,
  { connectMs = CONNECT_MS, totalMs = TOTAL_MS }: ProbeOptions,
): Promise<ProbeAnswer> {
  const started = performance.now();
  const timeLeft = (): number => Math.max(1, totalMs - (performance.now() - started));
  const exchange = async (alpn: readonly string[]): Promise<Presented> => {
    const connection = new Connection(address, target.port);
    try {
      await within(connection.opened, {
        ms: Math.min(connectMs, timeLeft()),
        message: "The server does not answer.",
        kind: "unreachable",
      });
      const seconds = totalMs / 1_000;
      return await within(handshake(connection, target, alpn), {
        ms: timeLeft(),
        message: `The handshake was not complete after ${seconds} seconds.`,
      });
    } finally {
      connection.close();
    }
  };
  try {
    const presented = await exchange(target.protocol === "tls" ? ["h2", "http/1.1"] : []).catch((error) => {
      // Servers of other protocols may refuse the application protocols of the web.
      if (error instanceof AlertError && error.code === NO_APPLICATION_PROTOCOL) return exchange([]);
      throw error;
    });
    return { address, latencyMs: Math.round(performance.now() - started), presented };
  } catch (error) {
    return { address, latencyMs: null, failure: failureOf(error) };
  }
}

async function handshake(
  connection: Connection,
  { serverName, protocol }: ProbeTarget,
  alpn: readonly string[],
): Promise<Presented> {
  const wire = new WireReader(connection);
  await startTls(wire, protocol, serverName);
  const presented = await readPresented(wire, {
    serverName: isAddress(serverName) ? undefined : serverName,
    alpn,
  });
  if (presented.tlsVersion !== "TLS 1.3") connection.write(cancellation());
  return presented;
}

function unreachable(address: string, message: string): ProbeAnswer {
  return { address, latencyMs: null, failure: { kind: "unreachable", message } };
}

const MEANINGS: Readonly<Record<string, string>> = {
  ECONNREFUSED: "The connection was refused.",
  EHOSTUNREACH: "The host cannot be reached.",
  ENETUNREACH: "The network cannot be reached.",
  ETIMEDOUT: "The host does not answer.",
};

function failureOf(error: unknown): NonNullable<ProbeAnswer["failure"]> {
  if (error instanceof ProbeError) return { kind: error.kind, message: error.message };
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  if (code === "ECONNRESET" || code === "EPIPE") {
    return { kind: "tls_error", message: "The server reset the connection during the handshake." };
  }
  return { kind: "unreachable", message: MEANINGS[code] ?? "The server cannot be reached." };
}

/** Waits for work, but at most `ms`. Then throws a {@link ProbeError}. */
async function within<T>(
  work: Promise<T>,
  { ms, message, kind = "tls_error" }: { ms: number; message: string; kind?: ProbeError["kind"] },
): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new ProbeError(message, kind)), ms);
  // The rest of the work fails when its connection is closed.
  work.catch(() => {});
  try {
    return await Promise.race([work, promise]);
  } finally {
    clearTimeout(timer);
  }
}

class Connection implements Wire {
  readonly opened: Promise<void>;
  readonly #socket: Socket;
  readonly #chunks: Uint8Array[] = [];
  #ended = false;
  #error: Error | undefined;
  #wake: (() => void) | undefined;

  constructor(address: string, port: number) {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.opened = promise;
    this.#socket = connect({ host: address, port });
    this.#socket.on("connect", () => resolve());
    this.#socket.on("data", (chunk: Uint8Array) => {
      this.#chunks.push(new Uint8Array(chunk));
      this.#wake?.();
    });
    this.#socket.on("error", (error: Error) => {
      this.#error = error;
      reject(error);
      this.#wake?.();
    });
    for (const event of ["end", "close"]) {
      this.#socket.on(event, () => {
        this.#ended = true;
        this.#wake?.();
      });
    }
  }

  async read(): Promise<Uint8Array | undefined> {
    for (;;) {
      const chunk = this.#chunks.shift();
      if (chunk !== undefined) return chunk;
      if (this.#error !== undefined) throw this.#error;
      if (this.#ended) return undefined;
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#wake = resolve;
      await promise;
    }
  }

  write(bytes: Uint8Array): void {
    if (!this.#ended) this.#socket.write(bytes);
  }

  close(): void {
    this.#socket.destroy();
    this.#ended = true;
    this.#wake?.();
  }
}

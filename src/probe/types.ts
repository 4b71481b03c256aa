/** The input and the results of probes. */

/** How TLS begins: immediately, or after the STARTTLS of a protocol. */
export const PROBE_PROTOCOLS = [
  "tls",
  "smtp",
  "imap",
  "pop3",
  "ldap",
  "postgres",
  "mysql",
  "xmpp",
  "xmpp-server",
  "ftp",
] as const;
export type ProbeProtocol = typeof PROBE_PROTOCOLS[number];

export interface ProbeTarget {
  /** A lower-case name or a canonical address. */
  readonly host: string;
  readonly port: number;
  /** The server name to send. An address is not sent (RFC 6066 §3). */
  readonly serverName: string;
  readonly protocol: ProbeProtocol;
}

/** What a server presented during a handshake. */
export interface Presented {
  /** DER of the certificates in the order presented. */
  readonly certificates: readonly Uint8Array[];
  /** `TLS 1.3`, … */
  readonly tlsVersion: string;
  /** Name of the cipher suite at IANA. */
  readonly cipher: string;
  /** The negotiated application protocol; empty if there is none. */
  readonly alpn: string;
  readonly ocspStapled: boolean;
  /** The stapled OCSP response about the first certificate. */
  readonly ocspResponse?: Uint8Array;
  /** Whether the server's signature of the handshake shows that it has the key of the first certificate. */
  readonly possession: "proven" | "unproven";
  /** Why clients reject the handshake after the certificates, in a sentence: an invalid signature, … */
  readonly fault?: string;
}

export interface ProbeAnswer {
  /** Empty if the name could not be resolved. */
  readonly address: string;
  /** Milliseconds from the start of the connection to the certificate. */
  readonly latencyMs: number | null;
  readonly presented?: Presented;
  /** Why there are no certificates, in a sentence; `not_allowed` if the settings forbid to ask. */
  readonly failure?: {
    readonly kind: "unreachable" | "tls_error";
    readonly message: string;
    readonly reason?: "not_allowed";
  };
}

export interface ProbeOptions {
  /** Networks that may be probed although they are not public. */
  readonly allowedNetworks: readonly string[];
  /** Resolves a name to its addresses; by default with the system's resolver. */
  readonly resolve?: (host: string) => Promise<readonly string[]>;
  /** Whether an address that cannot be reached is tried once more; true by default. */
  readonly retry?: boolean;
  readonly connectMs?: number;
  readonly totalMs?: number;
}

/** Probes all addresses of a server. Never throws: a failure is a result. */
export type Probe = (target: ProbeTarget, options: ProbeOptions) => Promise<readonly ProbeAnswer[]>;

/** Why a server's response is not a TLS handshake. The message is a sentence for users. */
export class ProbeError extends Error {
  override readonly name: string = "ProbeError";
  readonly kind: "unreachable" | "tls_error";

  constructor(message: string, kind: "unreachable" | "tls_error" = "tls_error") {
    super(message);
    this.kind = kind;
  }
}

/** A software authenticator whose responses a test can falsify in every part (WebAuthn Level 3, §6 and §7). */

import { createHash, generateKeyPairSync, type KeyObject, sign } from "node:crypto";

const UP = 0x01;
const UV = 0x04;
const AT = 0x40;

/** What the browser and the authenticator say; a test replaces what it falsifies. */
export interface Claims {
  readonly challenge: string;
  readonly origin: string;
  readonly rpId: string;
  readonly type?: string;
  readonly count?: number;
  readonly flags?: number;
  readonly userHandle?: string;
  readonly fmt?: string;
  readonly statement?: ReadonlyMap<string, unknown>;
  /** Signs with another key than the credential's. */
  readonly key?: KeyObject;
}

/** The text or the parts of a response, as the page sends them. */
export type Response = Record<string, unknown> & { response: Record<string, unknown> };

/** A credential with its key. */
export class Credential {
  readonly id: string;
  readonly #keys = generateKeyPairSync("ec", { namedCurve: "P-256" });

  constructor(id: Uint8Array = crypto.getRandomValues(new Uint8Array(32))) {
    this.id = base64Url(id);
  }

  /** Answers `navigator.credentials.create()`. */
  create(claims: Claims): Response {
    const id = Uint8Array.fromBase64(this.id, { alphabet: "base64url" });
    const { x, y } = this.#keys.publicKey.export({ format: "jwk" }) as { x: string; y: string };
    const point = (text: string): Uint8Array => Uint8Array.fromBase64(text, { alphabet: "base64url" });
    const key = cbor(new Map<number, unknown>([[1, 2], [3, -7], [-1, 1], [-2, point(x)], [-3, point(y)]]));
    const length = new Uint8Array([id.length >> 8, id.length & 255]);
    const data = joined(
      authData({ ...claims, flags: (claims.flags ?? UP | UV) | AT }),
      new Uint8Array(16),
      length,
      id,
      key,
    );
    const attestation = new Map<string, unknown>([
      ["fmt", claims.fmt ?? "none"],
      ["attStmt", claims.statement ?? new Map()],
      ["authData", data],
    ]);
    return this.#response({
      clientDataJSON: base64Url(clientData({ type: "webauthn.create", ...claims })),
      attestationObject: base64Url(cbor(attestation)),
      transports: ["internal"],
    });
  }

  /** Answers `navigator.credentials.get()`. */
  get(claims: Claims): Response {
    const [data, client] = [authData(claims), clientData(claims)];
    const signed = joined(data, createHash("sha256").update(client).digest());
    return this.#response({
      clientDataJSON: base64Url(client),
      authenticatorData: base64Url(data),
      signature: base64Url(sign("sha256", signed, claims.key ?? this.#keys.privateKey)),
      ...(claims.userHandle === undefined
        ? {}
        : { userHandle: base64Url(encoder.encode(claims.userHandle)) }),
    });
  }

  #response(response: Record<string, unknown>): Response {
    return { id: this.id, rawId: this.id, type: "public-key", clientExtensionResults: {}, response };
  }
}

function authData({ rpId, flags = UP | UV, count = 0 }: Claims): Uint8Array {
  const counter = new Uint8Array(4);
  new DataView(counter.buffer).setUint32(0, count);
  return joined(createHash("sha256").update(rpId).digest(), new Uint8Array([flags]), counter);
}

function clientData({ type = "webauthn.get", challenge, origin }: Claims): Uint8Array {
  return encoder.encode(JSON.stringify({ type, challenge, origin, crossOrigin: false }));
}

/** Encodes integers, bytes, texts, lists and maps (RFC 8949). */
export function cbor(value: unknown): Uint8Array {
  const head = (major: number, length: number): Uint8Array =>
    new Uint8Array(
      length < 24
        ? [major << 5 | length]
        : length < 256
        ? [major << 5 | 24, length]
        : [major << 5 | 25, length >> 8, length & 255],
    );
  if (typeof value === "number") return value < 0 ? head(1, -1 - value) : head(0, value);
  if (typeof value === "string") return joined(head(3, encoder.encode(value).length), encoder.encode(value));
  if (value instanceof Uint8Array) return joined(head(2, value.length), value);
  if (Array.isArray(value)) return joined(head(4, value.length), ...value.map(cbor));
  const entries = [...value as Map<unknown, unknown>];
  return joined(head(5, entries.length), ...entries.flatMap((entry) => entry.map(cbor)));
}

const encoder = new TextEncoder();

function base64Url(bytes: Uint8Array): string {
  return bytes.toBase64({ alphabet: "base64url", omitPadding: true });
}

function joined(...parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  return new Uint8Array(parts.flatMap((part) => [...part]));
}

/** Creates and verifies passkeys (WebAuthn Level 3), with a library that is loaded when it is needed. */

import { isIP } from "node:net";
import type { AuthenticationResponseJSON, RegistrationResponseJSON } from "@simplewebauthn/server";
import { z } from "zod";
import { randomText } from "../../../base/bytes.ts";

/** Number of letters and digits in a challenge: 256 random bits. */
const CHALLENGE_CHARS = 43;
/** Time that the browser gives its user, in milliseconds. */
const TIMEOUT_MS = 300_000;

export interface StoredPasskey {
  readonly id: number;
  readonly user_id: number;
  readonly credential_id: string;
  readonly public_key: string;
  readonly sign_count: number;
  readonly rp_id: string;
}

/** Properties of a credential that a browser offers. */
interface KnownCredential {
  readonly id: string;
  readonly transports: readonly string[];
}

/** Returns the host name for passkeys at an origin; undefined if browsers allow none there. */
export function rpIdOf(origin: string): string | undefined {
  const { protocol, hostname } = new URL(origin);
  const isSecure = protocol === "https:" || hostname === "localhost";
  return isSecure && isIP(hostname.replaceAll(/[[\]]/g, "")) === 0 ? hostname : undefined;
}

/** Returns a new challenge: the base64url of a text of letters and digits. */
export function newChallenge(): string {
  return new TextEncoder().encode(randomText(CHALLENGE_CHARS)).toBase64(BASE64URL);
}

/** How a browser reaches the passkey, such as `usb`. A hint, which nothing signs. */
const Transports = z.array(z.string().max(20)).max(10).catch([]);

const BASE64URL = { alphabet: "base64url", omitPadding: true } as const;

function bytesOf(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.fromBase64(text, { alphabet: "base64url" });
}

/** Returns the options of `navigator.credentials.create()` as JSON. */
export async function creationOptions(
  { rpId, challenge, userId, username, known }: {
    rpId: string;
    challenge: string;
    userId: number;
    username: string;
    known: readonly KnownCredential[];
  },
): Promise<string> {
  const { generateRegistrationOptions } = await import("@simplewebauthn/server");
  const options = await generateRegistrationOptions({
    rpName: "certmgr",
    rpID: rpId,
    userName: username,
    userID: userHandle(userId),
    challenge: bytesOf(challenge),
    timeout: TIMEOUT_MS,
    attestationType: "none",
    excludeCredentials: known.map(({ id, transports }) => ({ id, transports: [...transports] })),
    // Discoverable and with a PIN or fingerprint, so that the passkey can replace the password, too.
    authenticatorSelection: { residentKey: "required", userVerification: "required" },
  });
  return JSON.stringify(options);
}

/**
 * Returns the options of `navigator.credentials.get()` as JSON. Without known credentials, the browser offers
 * those that it has.
 */
export async function requestOptions(
  { rpId, challenge, known }: { rpId: string; challenge: string; known: readonly KnownCredential[] },
): Promise<string> {
  const { generateAuthenticationOptions } = await import("@simplewebauthn/server");
  const options = await generateAuthenticationOptions({
    rpID: rpId,
    challenge: bytesOf(challenge),
    timeout: TIMEOUT_MS,
    allowCredentials: known.map(({ id, transports }) => ({ id, transports: [...transports] })),
    userVerification: "required",
  });
  return JSON.stringify(options);
}

/** The origin and the challenge of the expected response. */
export interface Expected {
  readonly challenge: string;
  readonly origin: string;
  readonly rpId: string;
}

/**
 * Returns the new credential in a browser's response. Throws an Error with the reason if it is not
 * acceptable.
 */
export async function verifyCreation(
  response: unknown,
  { challenge, origin, rpId }: Expected,
): Promise<{ credentialId: string; publicKey: string; signCount: number; transports: readonly string[] }> {
  const { verifyRegistrationResponse } = await import("@simplewebauthn/server");
  const given = response as RegistrationResponseJSON;
  await refuseAttestation(given.response.attestationObject);
  const { verified, registrationInfo } = await verifyRegistrationResponse({
    response: given,
    expectedChallenge: challenge,
    expectedOrigin: origin,
    expectedRPID: rpId,
    requireUserVerification: true,
  });
  if (!verified) throw new Error("The registration was not verified");
  const { id, publicKey, counter, transports } = registrationInfo.credential;
  return {
    credentialId: id,
    publicKey: publicKey.toBase64(BASE64URL),
    signCount: counter,
    transports: Transports.parse(transports),
  };
}

/**
 * Throws an Error for an attestation with certificates. Nobody requested it, so browsers remove it, and the library
 * would download the revocation lists that its certificates name, from any address.
 */
async function refuseAttestation(attestationObject: string): Promise<void> {
  const { decodeAttestationObject } = await import("@simplewebauthn/server/helpers");
  const attestation = decodeAttestationObject(bytesOf(attestationObject));
  const format = attestation.get("fmt");
  // Without certificates, "packed" is a signature by the new key itself.
  const isSelf = format === "packed" && attestation.get("attStmt").get("x5c") === undefined;
  if (format !== "none" && !isSelf) throw new Error(`Unexpected attestation "${format}"`);
}

/**
 * Verifies a browser's response with a stored passkey. Returns the new counter. Throws an Error with the
 * reason if it is invalid.
 */
export async function verifyPasskeyAnswer(
  response: unknown,
  { passkey, challenge, origin, rpId }: Expected & { passkey: StoredPasskey },
): Promise<number> {
  const { verifyAuthenticationResponse } = await import("@simplewebauthn/server");
  const given = response as AuthenticationResponseJSON;
  const { verified, authenticationInfo } = await verifyAuthenticationResponse({
    response: given,
    expectedChallenge: challenge,
    expectedOrigin: origin,
    expectedRPID: rpId,
    credential: {
      id: passkey.credential_id,
      publicKey: bytesOf(passkey.public_key),
      counter: passkey.sign_count,
    },
    requireUserVerification: true,
  });
  if (!verified) throw new Error("The signature is wrong");
  const handle = given.response.userHandle;
  if (handle !== undefined && handle !== userHandle(passkey.user_id).toBase64(BASE64URL)) {
    throw new Error("The passkey belongs to another user");
  }
  return authenticationInfo.newCounter;
}

/** Returns the user handle that a passkey stores. */
function userHandle(userId: number): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(`user ${userId}`);
}

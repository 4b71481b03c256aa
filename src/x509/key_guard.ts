/**
 * The guard that every text and file passes before anything else looks at it: a private key is never stored, whatever
 * it is wrapped in. Rather too careful than too lax, but certificates, requests, public keys, fingerprints and prose
 * about keys pass. Linear in the input, and quick on ordinary text.
 */

import { base64Octets, hexOctets } from "./key_text.ts";
import { keyForm, octetsOf } from "./key_forms.ts";
import { decodeText } from "./text_input.ts";

/** The refusal, word for word as the contract has it. */
export const PRIVATE_KEY_MESSAGE = "Private key detected. Private keys are never stored.";

/** No private key in any form is shorter: 39 octets of SEC 1 take 52 characters of base64, the PEM marker alone 27. */
const MIN_CHARACTERS = 24;
/** Characters before and after the word PRIVATE that belong to a PEM marker, mangled as it may be. */
const MARKER_WINDOW = { before: 64, after: 40 };
/** "openssh-key-v1" and a NUL, and the same in base64. */
const OPENSSH = { magic: "openssh-key-v1\0", base64: "b3BlbnNzaC1rZXktdjEA" };
/** Base64 of `-----BEGIN `: PEM inside base64, as in Kubernetes secrets. */
const ARMOURED_PEM = "LS0tLS1CRUdJTi";
/** Characters of base64 that hold the first line of such PEM. */
const ARMOURED_PEM_HEAD = 112;

const latin1 = new TextDecoder("latin1");

/** Whether a text or file holds a private key in any form that we know. Never throws. */
export function holdsPrivateKey(input: string | Uint8Array): boolean {
  if (typeof input === "string") return textHoldsKey(input);
  // A key may stand behind a certificate, PEM behind DER, and UTF-16 comes without its mark.
  for (let at = input.indexOf(0x30); at !== -1; at = input.indexOf(0x30, at + 1)) {
    if (keyForm(octetsOf(input, at)) !== undefined) return true;
  }
  const text = decodeText(input);
  if (text !== undefined) return textHoldsKey(text);
  const raw = latin1.decode(input);
  return raw.includes(OPENSSH.magic) || textHoldsKey(raw.replaceAll("\0", ""));
}

function textHoldsKey(text: string): boolean {
  if (text.length < MIN_CHARACTERS) return false;
  return holdsMarker(text) || text.includes("PuTTY-User-Key-File-") || text.includes(OPENSSH.magic) ||
    text.includes(OPENSSH.base64) || holdsJwk(text) || holdsArmouredPem(text) || holdsEncodedDer(text);
}

/** `-----BEGIN … PRIVATE KEY-----` or its END, with anything but letters in between; also PGP's `… BLOCK`. */
function holdsMarker(text: string): boolean {
  for (let at = text.indexOf("PRIVATE"); at !== -1; at = text.indexOf("PRIVATE", at + 7)) {
    const around = text.slice(Math.max(0, at - MARKER_WINDOW.before), at + MARKER_WINDOW.after);
    // Escapes (`\n`, `%20`) leave at most some digits behind; word processors turn dashes into long ones.
    const bare = around.replace(/[\u2010-\u2015\u2212]/g, "--").replace(/[^A-Z0-9-]/g, "");
    if (/--(?:BEGIN|END)[A-Z0-9]*PRIVATE[0-9A-D]{0,8}KEY[0-9A-D]{0,8}(?:BLOCK)?(?:-|$)/.test(bare)) {
      return true;
    }
  }
  return false;
}

/** A JSON Web Key (RFC 7517) with the private member `d`, also where quotes are escaped or missing. */
function holdsJwk(text: string): boolean {
  return text.includes("kty") &&
    /(?<![A-Za-z0-9_-])d[\\"'\s]{0,6}[:=][\\"'\s]{0,6}[A-Za-z0-9_-]{16}/.test(text);
}

function holdsArmouredPem(text: string): boolean {
  for (
    let at = text.indexOf(ARMOURED_PEM);
    at !== -1;
    at = text.indexOf(ARMOURED_PEM, at + ARMOURED_PEM_HEAD)
  ) {
    const characters = text.slice(at, at + ARMOURED_PEM_HEAD).replace(/\\[nrt]|\s/g, "");
    const whole = /^(?:[A-Za-z0-9+/]{4})*/.exec(characters)![0];
    const head = latin1.decode(Uint8Array.fromBase64(whole));
    if (holdsMarker(head)) return true;
  }
  return false;
}

/** The DER of a key written as base64 or hex, without any marker. */
function holdsEncodedDer(text: string): boolean {
  // A SEQUENCE begins with M and one of A to P in base64, and with 30 in hex.
  for (const match of text.matchAll(/M(?=[A-P])|3(?=0)/g)) {
    const next = match[0] === "3" ? hexOctets(text, match.index) : base64Octets(text, match.index);
    if (keyForm(next) !== undefined) return true;
  }
  return false;
}

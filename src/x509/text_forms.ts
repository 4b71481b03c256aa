/** The inventory's text forms of bytes and names. */

import type { GeneralName } from "./types.ts";

/** `0A:1B:2C`: uppercase pairs, whole bytes. */
export function colonHex(bytes: Uint8Array): string {
  return bytes.toHex().toUpperCase().replace(/..(?!$)/g, "$&:");
}

/** Formats plain hex digits as `0A:1B:2C`. */
export function colonHexOf(hex: string): string {
  return colonHex(Uint8Array.fromHex(hex));
}

const PREFIXES: Readonly<Record<GeneralName["kind"], string>> = {
  dns: "",
  ip: "IP:",
  email: "email:",
  uri: "URI:",
  directory: "dirName:",
  other: "otherName:",
  registered_id: "RID:",
  x400: "x400Address:",
  edi: "ediPartyName:",
};

/** `www.example.com`, `IP:10.0.0.1`, `email:a@b.example`, `URI:https://…`, `dirName:…`, `otherName:<oid>:<hex>`, `RID:…`. */
export function sanText({ kind, value }: GeneralName): string {
  return `${PREFIXES[kind]}${value}`;
}

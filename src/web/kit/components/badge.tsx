/** Colored labels of states; the text alone is sufficient. */

import type { Html } from "./html.ts";

export type Tone = "good" | "warn" | "bad" | "info" | "plain" | "off";

const TONES: Readonly<Record<string, Tone>> = {
  active: "good",
  pending: "info",
  expired: "bad",
  replaced: "plain",
  revoked: "bad",
  ok: "good",
  warning: "warn",
  critical: "bad",
  valid: "good",
  self_signed: "warn",
  no_chain: "warn",
  "issuer expired": "bad",
  incomplete: "warn",
  invalid_signature: "bad",
  not_yet_valid: "warn",
  parse_error: "bad",
  unreachable: "bad",
  tls_error: "bad",
  name_mismatch: "bad",
  untrusted: "bad",
  incomplete_chain: "warn",
  wrong_certificate: "bad",
  superseded: "warn",
  expiring: "warn",
  pass: "good",
  passed: "good",
  fail: "bad",
  failed: "bad",
  error: "bad",
  info: "info",
  approved: "good",
  rejected: "bad",
  issued: "good",
  delivered: "good",
  dead: "bad",
  create: "good",
  update: "info",
  delete: "bad",
  created: "good",
  updated: "info",
  deleted: "bad",
};

/** States whose words are not only divided by spaces. */
const WORDS: Readonly<Record<string, string>> = { self_signed: "self-signed", tls_error: "TLS error" };

/** Returns the tone of a state. */
export function toneOf(value: string): Tone {
  return TONES[value] ?? "plain";
}

/** Renders a state; its color depends on the text by default. */
export function Badge({ value, tone }: { value: string; tone?: Tone | undefined }): Html {
  return <span class={`badge ${tone ?? toneOf(value)}`}>{WORDS[value] ?? value.replaceAll("_", " ")}</span>;
}

/** Renders yes or no; a dash if unknown. */
export function YesNo({ value }: { value: boolean | null }): Html {
  return value === null ? <span class="faint">–</span> : <span>{value ? "yes" : "no"}</span>;
}

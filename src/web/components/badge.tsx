/** Short states in colour; the word says it, the colour only helps. */

import type { Html } from "./html.ts";

/** What a state means to the reader. */
export type Tone = "good" | "warn" | "bad" | "info" | "plain";

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
  incomplete: "warn",
  invalid_signature: "bad",
  not_yet_valid: "warn",
  parse_error: "bad",
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
};

/** A state; its tone follows from the word by default. */
export function Badge({ value, tone }: { value: string; tone?: Tone }): Html {
  return <span class={`badge ${tone ?? TONES[value] ?? "plain"}`}>{value.replaceAll("_", " ")}</span>;
}

/** Whether something is so; a dash where it is not known. */
export function YesNo({ value }: { value: boolean | null }): Html {
  return value === null ? <span class="faint">–</span> : <span>{value ? "yes" : "no"}</span>;
}

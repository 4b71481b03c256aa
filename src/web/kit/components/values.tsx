/** Values in a few words: states, times, expiries, numbers. A color says nothing that the text does not say. */

import type { Html } from "./html.ts";
import { NOTICED_STATES } from "../../../domain/endpoints/mod.ts";
import { type Certificate, isWindowPassed } from "../../../domain/certificates/mod.ts";
import { daysText, numberText } from "../../../base/amounts.ts";
import { Joined } from "./blocks.tsx";

/** "lost" is for what has expired or is revoked; "bad" for what can still be prevented or repaired. */
export type Tone = "good" | "warn" | "bad" | "lost" | "info" | "plain" | "off";

const TONES: Readonly<Record<string, Tone>> = {
  active: "good",
  pending: "info",
  replaced: "plain",
  good: "good",
  unavailable: "warn",
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
  ...Object.fromEntries(NOTICED_STATES.map((state) => [state, "bad" as const])),
  expired: "lost",
  revoked: "lost",
  incomplete_chain: "warn",
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

/** Shows a time from ISO 8601 in UTC: `2026-11-20 09:22 UTC`. */
export function Time({ at }: { at: string | null }): Html {
  if (at === null) return <span class="faint">–</span>;
  const utc = `${at.slice(0, 10)} ${at.slice(11, 16)} UTC`;
  return <time datetime={at} title={`${at.slice(0, 10)} ${at.slice(11, 19)} UTC`} data-time>{utc}</time>;
}

/**
 * Shows the date of a time from ISO 8601 in UTC: `2026-11-20`. The title has the time. The text is already a valid date
 * (HTML §4.5.14).
 */
export function Day({ at }: { at: string | null }): Html {
  if (at === null) return <span class="faint">–</span>;
  const day = at.slice(0, 10);
  return <time title={`${day} ${at.slice(11, 19)} UTC`}>{day}</time>;
}

const EXPIRY_TONES = { expired: "lost", critical: "bad", warning: "warn", ok: "plain" } as const;

/** Renders the expiry date and the time until then, and that the renewal window has passed without a successor. */
export function Expiry(
  { row, past = false }: {
    row:
      & Pick<Certificate, "valid_to" | "days_remaining" | "expiry_status">
      & Partial<Pick<Certificate, "renewal_window_end" | "replaced_by">>;
    /** Whether the certificate is not in use any more, so that its expiry needs no attention. */
    past?: boolean;
  },
): Html {
  const tone = past ? "plain" : EXPIRY_TONES[row.expiry_status];
  return (
    <span class="expiry">
      {Day({ at: row.valid_to })} {Badge({ value: daysText(row.days_remaining), tone })}
      {!past && isWindowPassed(row)
        ? <>{" "}{Badge({ value: "renewal window passed", tone: "warn" })}</>
        : null}
    </span>
  );
}

/** Renders a number or a short text with its label; with `path` it is a link. */
export function Tile(
  { title, value, note, path, tone = "plain" }: {
    title: string;
    value: number | string;
    note: string | Html;
    path?: string;
    tone?: Tone;
  },
): Html {
  const name = `card tile ${tone}`;
  const parts = (
    <>
      <span class="tile-title">{title}</span>
      <strong>{typeof value === "number" ? numberText(value) : value}</strong>
      <span class="tile-note">{note}</span>
    </>
  );
  return path === undefined ? <div class={name}>{parts}</div> : <a class={name} href={path}>{parts}</a>;
}

/** Renders the sum of several numbers; each links to its objects. */
export function NumbersTile(
  { title, note, numbers, tone = "plain" }: {
    title: string;
    note: string;
    numbers: readonly { readonly value: number; readonly label: string; readonly path: string }[];
    tone?: Tone;
  },
): Html {
  return (
    <div class={`card tile numbers ${tone}`}>
      <span class="tile-title">{title}</span>
      <strong>{numberText(numbers.reduce((sum, { value }) => sum + value, 0))}</strong>
      <span class="tile-note">
        {note}:{" "}
        <Joined
          items={numbers.map(({ value, label, path }) => <a href={path}>{numberText(value)} {label}</a>)}
        />
      </span>
    </div>
  );
}

/** Renders a number as a link to the list that it counts; nothing for an unknown one. */
export function CountLink(
  { number, path, tone }: { number: number | null | undefined; path: string; tone?: Tone | undefined },
): Html | null {
  if (number === undefined || number === null) return null;
  if (number === 0) return <span class="faint">0</span>;
  return <a href={path} class={tone === undefined ? undefined : `badge ${tone}`}>{numberText(number)}</a>;
}

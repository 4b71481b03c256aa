/** Judges webhooks, makes their secrets, and begins anew with those that were mended. */

import { SECRET_PREFIX } from "../../base/webhook_secret.ts";
import { type AllowedHosts, checkTarget } from "../../http/mod.ts";
import { type Draft, effectiveJson, refuse, type WriteStep } from "../../resource/mod.ts";
import { conditionFaults } from "./conditions.ts";
import type { HeaderInput } from "./fields.ts";

/** Bytes of a secret that the service makes up: as strong as the hash that it is used with. */
const MADE_UP_BYTES = 32;

/** No statement. */
export function prepareWebhooks({ ctx, drafts }: WriteStep): Promise<void> {
  for (const draft of drafts) {
    judgeUrl(draft, ctx.settings.allowedTargets);
    fillSecret(draft);
    guardHeaderValues(draft);
    keepHeaderValues(draft);
    judgeConditions(draft);
    beginAnew(draft);
  }
  return Promise.resolve();
}

/** The address is judged again, with what its name stands for, on each attempt. */
function judgeUrl(draft: Draft, allowed: AllowedHosts): void {
  const { input, errors } = draft;
  if (!("payload_url" in input) || errors.payload_url !== undefined) return;
  const fault = checkTarget(input.payload_url as string, allowed);
  if (fault !== undefined) refuse(draft, "payload_url", fault);
}

function fillSecret({ input, row, reveal, before }: Draft): void {
  if (input.secret === "" && before !== undefined) delete input.secret;
  if (input.secret !== null && input.secret !== "") return;
  const secret = SECRET_PREFIX + crypto.getRandomValues(new Uint8Array(MADE_UP_BYTES)).toBase64();
  reveal.secret = row.secret = secret;
}

/**
 * Values of headers go to whom they were given for: whoever may change a webhook cannot read them, and shall not have
 * them sent to himself. With another origin (RFC 6454 §4) they must be given anew, or taken away.
 */
function guardHeaderValues(draft: Draft): void {
  const { input, before, errors } = draft;
  if (before === undefined || !("payload_url" in input) || errors.payload_url !== undefined) return;
  const [origin, former] = [input, before].map(({ payload_url: url }) => URL.parse(url as string)?.origin);
  if (origin === former || Object.keys(storedHeaders(draft)).length === 0) return;
  const given = input.additional_headers as HeaderInput | undefined;
  if (given !== undefined && !Object.values(given).includes(null)) return;
  refuse(
    draft,
    "additional_headers",
    "Stored values are not sent to another origin: give all of them anew with its URL, or {} for none.",
  );
}

function storedHeaders({ before }: Draft): Record<string, string> {
  return JSON.parse(String(before?.additional_headers ?? "{}"));
}

/** Puts stored values in the place of nulls; what says the same as before is no change. */
function keepHeaderValues(draft: Draft): void {
  const { input, before, errors } = draft;
  if (!("additional_headers" in input) || errors.additional_headers !== undefined) return;
  const given = input.additional_headers as HeaderInput;
  const stored = storedHeaders(draft);
  const names = new Map(Object.keys(stored).map((name) => [name.toLowerCase(), name]));
  const merged = Object.entries(given).map(([name, value]) => {
    const known = names.get(name.toLowerCase());
    if (value === null && known === undefined) {
      refuse(
        draft,
        "additional_headers",
        `${JSON.stringify(name)}: No value is stored under this name, give one.`,
      );
    }
    return [name, value ?? stored[known ?? ""]];
  });
  input.additional_headers = Object.fromEntries(merged);
  const same = before !== undefined && JSON.stringify(merged) === JSON.stringify(Object.entries(stored));
  if (same) delete input.additional_headers;
}

/** Conditions must mean something for every type of objects that the webhook will hear of. */
function judgeConditions(draft: Draft): void {
  const { errors, input } = draft;
  if (errors.conditions !== undefined || errors.object_types !== undefined) return;
  if (!("conditions" in input) && !("object_types" in input)) return;
  const objectTypes = effectiveJson(draft, "object_types") as string[] | undefined;
  for (const fault of conditionFaults(effectiveJson(draft, "conditions") ?? null, objectTypes ?? [])) {
    refuse(draft, "conditions", fault);
  }
}

/**
 * A webhook that is mended (another address, secret or headers) or switched on has not failed yet. One that the service
 * switched off is switched on with a new address: it was the old one that asked for no more.
 */
function beginAnew({ input, row, before }: Draft): void {
  if (before === undefined) return;
  const moved = "payload_url" in input && input.payload_url !== before.payload_url;
  const switchedOff = before.disabled_reason !== "";
  if (moved && switchedOff && !("enabled" in input)) input.enabled = true;
  if ("enabled" in input) row.disabled_reason = "";
  const mended = moved || input.enabled === true || "secret" in input || "additional_headers" in input;
  if (mended) Object.assign(row, { failure_count: 0, probe_at: null });
}

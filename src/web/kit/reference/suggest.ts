/** Suggestions for the script of comboboxes. */

import { notFound } from "../../../base/errors.ts";
import { resources } from "../../../domain/registry.ts";
import type { Resource } from "../../../resource/mod.ts";
import type { Call } from "../../call.ts";
import { listPath } from "../../paths.ts";
import { suggestionsFor } from "./choices.ts";
import { referenceText } from "./reference_text.ts";
import { withoutExpiry } from "./short_name.ts";

/** Maximum of object types in one request. */
const MAX_TYPES = 10;

/** Returns the path of the suggestions for references to objects of these types. */
export function suggestPath(targets: readonly Resource[]): string {
  return `/suggest/${targets.map((target) => listPath(target).slice(1, -1)).join(",")}/`;
}

/**
 * `GET /suggest/<list>/?q=…`: `{"options": [{"value": "web-01 (#3)", "label": "web-01"}], "more": false}`, certificates
 * with the time until their expiry, and with what the form shows of a chosen one; for several lists, separated by
 * commas, values are as `web-01 (device #3)`, with the kind of object.
 */
export async function suggest(call: Call): Promise<Response> {
  const names = (call.params.name ?? "").split(",");
  const targets = names.flatMap((name) => resources.find((one) => listPath(one) === `/${name}/`) ?? []);
  if (targets.length < names.length || targets.length > MAX_TYPES) throw notFound();
  const { choices, more } = await suggestionsFor(call, targets, (call.query.get("q") ?? "").trim());
  const options = choices.map((choice) => ({
    value: referenceText(targets, choice),
    label: targets.length === 1 ? withoutExpiry(choice.name) : choice.name,
    note: choice.note,
    detail: targets.length === 1 ? choice.detail : undefined,
  }));
  return Response.json({ options, more }, { headers: { "cache-control": "private, no-store" } });
}

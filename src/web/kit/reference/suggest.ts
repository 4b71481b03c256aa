/** Suggestions for the script of reference inputs. */

import { notFound } from "../../../base/errors.ts";
import { resources } from "../../../domain/registry.ts";
import type { Call } from "../../call.ts";
import { listPath } from "../../paths.ts";
import { suggestionsFor } from "./choices.ts";
import { withoutExpiry } from "./short_name.ts";
import { suggestionText } from "./suggestion_text.ts";
import { nounOf } from "../../type_label.ts";

/** Maximum of suggestions of several types together. */
const MAX_TOGETHER = 20;

/**
 * `GET /suggest/<list or object type>/?q=…`: `{"options": [{"value": "web-01 (#3)", "label": "web-01"}], "more": false}`,
 * certificates with the time until their expiry, and with what the form shows of a chosen one; for several object types,
 * separated by commas, values are as `web-01 (device #3)`, with the kind of object.
 */
export async function suggest(call: Call): Promise<Response> {
  const names = (call.params.name ?? "").split(",");
  const targets = names.map((name) =>
    resources.find((one) => listPath(one) === `/${name}/` || one.objectType === name)
  ).filter((one) => one !== undefined);
  const [first] = targets;
  if (first === undefined || targets.length < names.length || targets.length > MAX_TYPES) throw notFound();
  const text = (call.query.get("q") ?? "").trim();
  const found = await Promise.all(targets.map(async (target) => ({
    target,
    ...await suggestionsFor(call, target, text),
  })));
  // Each type has a share of the list, so that the first one does not hide the others.
  const matching = found.filter((one) => one.options.length > 0).length;
  const share = Math.floor(MAX_TOGETHER / Math.max(1, matching));
  const shown = found.map((one) => Math.min(share, one.options.length));
  // Space that other types do not need.
  let rest = MAX_TOGETHER - shown.reduce((sum, count) => sum + count, 0);
  for (const [index, { options }] of found.entries()) {
    const added = Math.min(rest, options.length - (shown[index] as number));
    shown[index] = (shown[index] as number) + added;
    rest -= added;
  }
  const options = targets.length === 1
    ? found.flatMap(({ options: own, notes, details }) =>
      own.map(([id, name], index) => ({
        value: suggestionText({ id }, name),
        label: withoutExpiry(name),
        ...(notes === undefined ? {} : { note: notes[index], detail: details?.get(id) }),
      }))
    )
    : found.flatMap(({ target, options: own }, index) =>
      own.slice(0, shown[index]).map(([id, label]) => ({
        value: suggestionText({ id, noun: nounOf(target) }, label),
        label,
        note: nounOf(target),
      }))
    );
  const more = found.some((one, index) =>
    one.more || (targets.length > 1 && one.options.length > (shown[index] as number))
  );
  return Response.json({ options, more }, {
    headers: { "cache-control": "private, no-store" },
  });
}

/** Maximum of object types in one request. */
const MAX_TYPES = 10;

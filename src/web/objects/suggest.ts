/** Suggestions for the script of reference inputs. */

import { notFound } from "../../base/errors.ts";
import { resources } from "../../domain/registry.ts";
import type { Call } from "../call.ts";
import { listPath } from "../paths.ts";
import { suggestionsFor } from "./choices.ts";

/** `GET /suggest/<list or object type>/?q=…`: `{"options": [{"value": "3", "label": "web-01"}], "more": false}`. */
export async function suggest(call: Call): Promise<Response> {
  const { name } = call.params;
  const resource = resources.find((one) => listPath(one) === `/${name}/` || one.objectType === name);
  if (resource === undefined) throw notFound();
  const { options, more } = await suggestionsFor(call, resource, (call.query.get("q") ?? "").trim());
  return Response.json({ options: options.map(([value, label]) => ({ value, label })), more }, {
    headers: { "cache-control": "private, no-store" },
  });
}

/** Suggestions for the script of reference inputs. */

import { notFound } from "../../base/errors.ts";
import { resources } from "../../domain/registry.ts";
import type { Call } from "../call.ts";
import { listPath } from "../paths.ts";
import { suggestionsFor } from "./choices.ts";

/** `GET /suggest/<list or object type>/?q=…`: `[{"value": "3", "label": "web-01"}]`. */
export async function suggest(call: Call): Promise<Response> {
  const { name } = call.params;
  const resource = resources.find((one) => listPath(one) === `/${name}/` || one.objectType === name);
  if (resource === undefined) throw notFound();
  const found = await suggestionsFor(call, resource, (call.query.get("q") ?? "").trim());
  return Response.json(found.map(([value, label]) => ({ value, label })), {
    headers: { "cache-control": "private, no-store" },
  });
}

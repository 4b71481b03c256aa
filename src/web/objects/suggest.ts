/** Suggestions while somebody types a reference, for the script of the forms. */

import { notFound } from "../../base/errors.ts";
import { resources } from "../../features/registry.ts";
import type { Call } from "../call.ts";
import { listPath } from "../paths.ts";
import { suggestionsFor } from "./choices.ts";

/** `GET /suggest/<resource>/?q=…`: `[{"value": "3", "label": "web-01"}]`. */
export async function suggest(call: Call): Promise<Response> {
  const resource = resources.find((one) => listPath(one) === `/${call.params.name}/`);
  if (resource === undefined) throw notFound();
  const found = await suggestionsFor(call, resource, (call.query.get("q") ?? "").trim());
  return Response.json(found.map(({ id, display }) => ({ value: String(id), label: display })), {
    headers: { "cache-control": "private, no-store" },
  });
}

/** Exports certificates by POST: the parameters are in the body, which may be longer than a query string. */

import { z } from "zod";
import type { Download } from "../../../base/download.ts";
import { AppError, invalid } from "../../../base/errors.ts";
import { MAX_FIELD_NAMES } from "../../../base/limits.ts";
import { MAX_FILTER_VALUES } from "../../../filters/mod.ts";
import { FORMATS } from "../../../formats/mod.ts";
import { fieldErrors, operation } from "../../../operation/mod.ts";
import { documented } from "../../../resource/mod.ts";
import { certificates } from "../mod.ts";
import { exportCertificates, readExport } from "./export_certificates.ts";
import { EXPORT_FIELDS } from "./fields.ts";

const SCALAR = z.union([z.string(), z.number(), z.boolean(), z.null()], {
  error: "Expected text, a number, true, false or a list of these.",
});
const notNull = {
  error: ({ input }: { input?: unknown }): string | undefined =>
    input === null ? "This field may not be null. Leave it out for its default." : undefined,
};

/** Returns the schema of a list with at most `max` elements. */
function list<Item extends z.ZodType>(item: Item, max: number): z.ZodArray<Item> {
  return z.array(item, notNull).max(max, {
    error: ({ input }) => `Expected at most ${max} values, not ${Array.isArray(input) ? input.length : 0}.`,
    abort: true,
  });
}

/** The value or values of a filter. */
const FILTER = z.union([SCALAR, list(SCALAR, MAX_FILTER_VALUES).min(1, "Expected at least one value.")]);

/** The parameters of an export. Any other name is a filter. */
const ExportBody = z.looseObject({
  format: z.enum(Object.keys(FORMATS), notNull),
  ids: list(z.int().min(0), MAX_FILTER_VALUES),
  // Checked by `readExport`, which suggests the name that was probably meant.
  fields: list(documented(z.string(), { type: "string", enum: EXPORT_FIELDS }), MAX_FIELD_NAMES),
  include_pem: z.boolean(notNull),
  include_chain: z.boolean(notNull),
}).partial().catchall(FILTER).optional();

/**
 * Exports the certificates that the body selects, by default all. Errors: the same as {@link
 * exportCertificates}.
 */
export const exportByBody = operation({
  needs: [["view", certificates]],
  input: ExportBody,
  refusal: (findings, body) => {
    const found = fieldErrors(findings);
    const others = Object.entries(typeof body === "object" ? body ?? {} : {})
      .filter(([name]) => !Object.hasOwn(found, name));
    return findings.some(({ path }) => path.length === 0)
      ? new AppError("invalid", findings[0]?.message ?? "")
      : invalid({ ...readExport(asParams(Object.fromEntries(others))).errors, ...found });
  },
  output: documented(z.custom<Download>(), { type: "string" }),
  run: async ({ ctx, input = {} }) => await exportCertificates({ ctx, params: asParams(input) }),
});

/** Returns the body as a query: lists are repeated parameters. An empty list of ids selects nothing. */
function asParams(body: Readonly<Record<string, unknown>>): URLSearchParams {
  const params = new URLSearchParams();
  for (const [name, value] of Object.entries(body)) {
    if (value === undefined) continue;
    const values = Array.isArray(value) ? value : [value];
    if (values.length === 0 && name === "ids") params.append(name, "");
    for (const one of values) params.append(name, String(one));
  }
  return params;
}

/** Exports certificates by POST: the parameters are in the body, which may be longer than a query string. */

import { concerns, issue } from "../../../base/findings.ts";
import { z } from "zod";
import type { Download } from "../../../base/download.ts";
import { invalid } from "../../../base/errors.ts";
import { MAX_FIELD_NAMES } from "../../../base/limits.ts";
import { MAX_FILTER_VALUES } from "../../../filters/mod.ts";
import { FORMATS } from "../../../formats/mod.ts";
import { fieldErrors, operation, refusalOf } from "../../../operation/mod.ts";
import { documented } from "../../../resource/mod.ts";
import { certificates } from "../mod.ts";
import { exportCertificates, readExport } from "./export_certificates.ts";
import { EXPORT_FIELDS } from "./fields.ts";

const SCALAR = z.union([z.string(), z.number(), z.boolean(), z.null()], {
  error: issue("unexpected", { expected: "text, a number, true, false or a list of these" }),
});
const notNull = {
  error: ({ input }: { input?: unknown }): string | undefined =>
    input === null ? issue("null_has_default") : undefined,
};

/** Returns the schema of a list with at most `max` elements. */
function list<Item extends z.ZodType>(item: Item, max: number): z.ZodArray<Item> {
  return z.array(item, notNull).max(max, {
    error: ({ input }) =>
      issue("unexpected", {
        expected: `at most ${max} values`,
        value: Array.isArray(input) ? input.length : 0,
      }),
    abort: true,
  });
}

/** The value or values of a filter. */
const FILTER = z.union([
  SCALAR,
  list(SCALAR, MAX_FILTER_VALUES).min(1, issue("expected_some", { thing: "value" })),
]);

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
      .filter(([name]) => !concerns(found, name));
    return findings.some(({ path }) => path.length === 0)
      ? refusalOf(findings)
      : invalid([...readExport(asParams(Object.fromEntries(others))).errors, ...found]);
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

/** Imports PEM text: one certificate with its chain, or every certificate as a record of its own. */

import { z } from "zod";
import type { Context } from "../../../auth/mod.ts";
import { AppError, type FieldErrors, invalid } from "../../../base/errors.ts";
import { inSlices } from "../../../base/pace.ts";
import { boolean, inputSchema, issueMessages, quote, type WriteCall } from "../../../resource/mod.ts";
import { PRIVATE_KEY_MESSAGE } from "../../../x509/mod.ts";
import { certificates } from "../mod.ts";
import { type ImportReport, reportOf } from "./answers.ts";
import { authorizeImport } from "./authorize_import.ts";
import { applyRows, importRows, type Refusal } from "./import_rows.ts";
import { readPemItem, readPemItems } from "./pem_item.ts";
import { merged } from "./plan.ts";
import type { ImportRow, Inherited } from "./rows.ts";

/** What is given: `tenant` and `tags` as for a certificate; `split` makes each block a record. */
export const IMPORT_PEM_INPUT = z.object({
  pem_content: inputSchema(certificates, "pem_content"),
  private_key_location: inputSchema(certificates, "private_key_location").optional(),
  tenant: inputSchema(certificates, "tenant").optional(),
  tags: inputSchema(certificates, "tags").optional(),
  split: z.boolean().optional(),
});

const SPLIT = boolean("split", { description: "Each block becomes a record of its own." });
const RULE = { noun: "item", field: "pem_content" } as const;

/** The fields are the caller's own, so what several certificates say about them is said once. */
const refuseFields: Refusal = (failed) => invalid(merged(failed.map(({ errors }) => errors)));

/**
 * Imports PEM text; all or nothing. Gives the certificate, or with `split` what was created and what was there.
 * Errors: forbidden, invalid (by field).
 */
export async function importPem(
  { ctx, input }: { ctx: Context; input: unknown },
): Promise<{ certificate: Readonly<Record<string, unknown>> } | { split: ImportReport }> {
  const allowed = authorizeImport(ctx);
  if (input === undefined) {
    throw new AppError("invalid", "The body is empty. Expected an object with pem_content.");
  }
  if (typeof input !== "object" || input === null || Array.isArray(input)) {
    throw new AppError("invalid", `Expected an object with pem_content, not ${quote(input)}.`);
  }
  const given = input as Record<string, unknown>;
  const split = SPLIT.input?.safeParse(given.split ?? false);
  const rows = split?.data === true
    ? await inSlices(readPemItems(given))
    : [await inSlices(readPemItem(given, 0))];
  if (split?.success === false) refuseSplit(rows, issueMessages(split.error));
  const whole = split?.data !== true;
  const rule = { ...RULE, onDuplicate: whole ? "error" as const : "skip" as const };
  const outcome = await importRows({ ctx, allowed, rows, rule, whole }, refuseFields);
  if (!whole) return { split: reportOf(outcome) };
  return { certificate: outcome.created[0]?.object as Record<string, unknown> };
}

function refuseSplit(rows: readonly ImportRow[], messages: string[]): void {
  for (const { errors } of rows as readonly { errors: FieldErrors }[]) {
    if (errors.split?.includes(PRIVATE_KEY_MESSAGE) !== true) errors.split = messages;
  }
}

/**
 * Stores one certificate with its chain out of a PEM text, within a transaction that is open already (renewal).
 * Gives its id. Errors: invalid, on `pem_content` and the fields of `extra`.
 */
export async function storePem(
  call: WriteCall,
  { pem, extra, inherited }: { pem: string; extra: Record<string, unknown>; inherited: Inherited },
): Promise<number> {
  const rule = { ...RULE, onDuplicate: "error" } as const;
  const rows = [await inSlices(readPemItem({ ...extra, pem_content: pem }, 0))];
  const { created } = await applyRows(call, rows, { rule, refusal: refuseFields, inherited });
  return created[0]?.object.id as number;
}

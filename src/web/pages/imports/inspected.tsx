/** Shows the certificates of a text or of files, and imports those that were shown. */

import { numberText } from "../../../base/amounts.ts";
import { AppError, type FieldErrors } from "../../../base/errors.ts";
import {
  importPem,
  type ImportReport,
  inspectBundle,
  type Inspection,
  type InspectionInput,
  isImportReport,
  mayImport,
} from "../../../domain/certificates/import/mod.ts";
import { tenants } from "../../../domain/inventory/mod.ts";
import { importRenewing } from "../../../domain/certificates/renewal/mod.ts";
import type { Call } from "../../call.ts";
import { idsOf, textOf } from "../../forms.ts";
import { fieldErrorsOf } from "../../messages.ts";
import { readReferences } from "../../kit/mod.ts";
import { chainOnlyOf } from "./chain_groups.tsx";
import { formPage } from "./form_page.tsx";
import { stored } from "./import_result.ts";
import { findingText, inspectionPage, RequestHint, unreadableOf } from "./inspection_page.tsx";
import { reasonOf, renewalsOf } from "./renewable.tsx";
import { sourceField } from "./sources.ts";

/** Maximum number of unreadable parts in the error at the field. */
const MAX_REASONS = 5;

/**
 * Shows the certificates found in the input, with errors of an import that failed; or the form, if the input has none.
 * Stores nothing. Errors: forbidden, invalid.
 */
export async function inspectAdded(
  call: Call,
  content: InspectionInput["content"],
  errors: FieldErrors = {},
): Promise<Response> {
  const found = await inspectBundle({ ctx: call.ctx, input: { content, ...ownOf(call.form) } });
  if (found.certificates.length > 0) return inspectionPage(call, found, errors);
  return await formPage(call, {
    errors: { [sourceField(call.form)]: reasonsOf(found), ...errors },
    hint: <RequestHint call={call} findings={found.findings} />,
  });
}

/** Imports the certificates that were shown. */
export async function storeInspected(call: Call): Promise<Response> {
  await resolveTenant(call);
  const content = textOf(call.form, "pem_content");
  const renewing = renewalsOf(call.form).size > 0;
  try {
    return await stored(call, await importedBy(call, content));
  } catch (error) {
    const errors = renewing ? renewalErrorsOf(call, error) : importErrorsOf(call, error);
    // Something has changed since the inspection, so it is shown again.
    return await inspectAdded(call, content, errors).catch((again) =>
      formPage(call, { errors: importErrorsOf(call, again) })
    );
  }
}

async function importedBy(call: Call, pem_content: string): Promise<ImportReport> {
  const { ctx, form } = call;
  const left = chainOnlyOf(form);
  const input = { pem_content, ...(left.length === 0 ? {} : { chain_only: left }), ...ownOf(form) };
  const renew = renewalsOf(form);
  if (renew.size > 0) {
    return await importRenewing({ ctx, input: { ...input, renew, reason: reasonOf(form) } });
  }
  const outcome = await importPem({ ctx, input: { ...input, split: true } });
  if (!isImportReport(outcome)) throw new Error("An import that splits returns a report");
  return outcome;
}

/** Returns why the input has no certificates: what cannot be read in it, or that it has nothing to read. */
function reasonsOf(found: Inspection): string[] {
  const findings = unreadableOf(found);
  if (findings.length === 0) {
    return ["No certificates and no table found. Use PEM, DER or PKCS#7, or CSV or JSON with headings."];
  }
  const left = findings.length - MAX_REASONS;
  return [
    ...findings.slice(0, MAX_REASONS).map(findingText),
    ...(left > 0 ? [`${numberText(left)} more cannot be read.`] : []),
  ];
}

/** Replaces the name of the tenant by its id, so that later forms have it. */
export async function resolveTenant(call: Call): Promise<void> {
  const [reading] = await readReferences(call, [tenants], [textOf(call.form, "tenant")].filter(Boolean));
  if (reading !== undefined && "id" in reading) call.form.set("tenant", reading.id);
}

/** Returns the fields for all certificates. */
function ownOf(form: FormData): Record<string, unknown> {
  const tenant = textOf(form, "tenant");
  const location = textOf(form, "private_key_location").trim();
  const tagIds = idsOf(form, "tags");
  return {
    ...(tenant === "" ? {} : { tenant: /^\d{1,15}$/.test(tenant) ? Number(tenant) : { name: tenant } }),
    ...(tagIds.length === 0 ? {} : { tags: tagIds }),
    ...(location === "" ? {} : { private_key_location: location }),
  };
}

/** As {@link importErrorsOf}; also if a certificate to renew has been renewed or deleted in the meantime. */
function renewalErrorsOf(call: Call, error: unknown): FieldErrors {
  if (!(error instanceof AppError)) throw error;
  if (error.code === "conflict") return fieldErrorsOf(error);
  if (error.code !== "not_found") return importErrorsOf(call, error);
  return { __all__: ["A certificate to renew does not exist any more. Nothing was imported."] };
}

/**
 * Returns errors to show in the form, including forbidden, because constraints can exclude this import. Throws others.
 */
export function importErrorsOf({ ctx }: Call, error: unknown): FieldErrors {
  const inForm = error instanceof AppError &&
    (error.code === "invalid" || (error.code === "forbidden" && mayImport(ctx)));
  if (!inForm) throw error;
  return fieldErrorsOf(error);
}

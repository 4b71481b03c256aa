/** Shows the certificates of a text or of files, and imports those that were shown. */

import { numberText } from "../../../base/amounts.ts";
import { AppError, type FieldErrors } from "../../../base/errors.ts";
import {
  importPem,
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
import { formPage } from "./form_page.tsx";
import { stored } from "./import_result.ts";
import { findingText, inspectionPage, RequestHint } from "./inspection_page.tsx";
import { reasonOf, renewalsOf } from "./renewable.tsx";
import { chainOnlyOf } from "./separate_issuers.tsx";
import { sourceField } from "./sources.ts";

/** Shows the certificates found in the input; stores nothing. Errors: forbidden, invalid. */
export async function inspectAdded(call: Call, content: InspectionInput["content"]): Promise<Response> {
  const found = await inspectBundle({ ctx: call.ctx, input: { content, ...ownOf(call.form) } });
  return await shown(call, found, {});
}

/** Imports the certificates that were shown. */
export async function storeInspected(call: Call): Promise<Response> {
  await resolveTenant(call);
  const pem = textOf(call.form, "pem_content");
  const own = ownOf(call.form);
  const input = { pem_content: pem, ...chainOnly(call.form), ...own };
  const renew = renewalsOf(call.form);
  try {
    if (renew.size > 0) {
      return await stored(
        call,
        await importRenewing({ ctx: call.ctx, input: { ...input, renew, reason: reasonOf(call.form) } }),
      );
    }
    const outcome = await importPem({ ctx: call.ctx, input: { ...input, split: true } });
    if (!isImportReport(outcome)) throw new Error("An import that splits returns a report");
    return await stored(call, outcome);
  } catch (error) {
    const errors = renew.size > 0 ? renewalErrorsOf(call, error) : importErrorsOf(call, error);
    // Something has changed since the inspection, so it is shown again.
    const found = await inspectBundle({ ctx: call.ctx, input: { content: pem, ...own } })
      .catch((again): Inspection | FieldErrors => importErrorsOf(call, again));
    return "certificates" in found
      ? await shown(call, found as Inspection, errors)
      : await formPage(call, { errors });
  }
}

/** Renders the inspection, or the form with errors if no certificates were found. */
async function shown(call: Call, found: Inspection, errors: FieldErrors): Promise<Response> {
  if (found.certificates.length > 0) return inspectionPage(call, found, errors);
  return await formPage(call, {
    errors: { [sourceField(call.form)]: reasonsOf(found), ...errors },
    hint: <RequestHint call={call} findings={found.findings} />,
  });
}

/** Returns why the input has no certificates: what cannot be read in it, or that it has nothing to read. */
function reasonsOf({ findings: every }: Inspection): string[] {
  const findings = every.filter(({ code }) => code !== "no_pem");
  if (findings.length === 0) {
    return ["No certificates and no table found. Use PEM, DER or PKCS#7, or CSV or JSON with headings."];
  }
  const left = findings.length - MAX_REASONS;
  return [
    ...findings.slice(0, MAX_REASONS).map(findingText),
    ...(left > 0 ? [`${numberText(left)} more cannot be read.`] : []),
  ];
}

/** Maximum number of unreadable parts in the error at the field. */
const MAX_REASONS = 5;

/** Replaces the name of the tenant by its id, so that later forms have it. */
export async function resolveTenant(call: Call): Promise<void> {
  const [reading] = await readReferences(call, [tenants], [textOf(call.form, "tenant")].filter(Boolean));
  if (reading !== undefined && "id" in reading) call.form.set("tenant", reading.id);
}

function chainOnly(form: FormData): { chain_only?: string[] } {
  const left = chainOnlyOf(form);
  return left.length === 0 ? {} : { chain_only: left };
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

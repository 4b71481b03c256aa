/**
 * Reads the input, recognized by its content: certificates are shown, imported if the user confirms, and checked; tables get a
 * preview.
 */

import { isGranted } from "../../../auth/mod.ts";
import { counted, numberText } from "../../../base/amounts.ts";
import { AppError, type FieldErrors, forbidden, invalid, invalidField } from "../../../base/errors.ts";
import { findingAt } from "../../../base/findings.ts";
import { validateCertificateChain } from "../../../domain/certificates/chain/validate_certificate.ts";
import {
  importPem,
  type ImportReport,
  inspectBundle,
  type Inspection,
  type InspectionInput,
  isImportReport,
  mayBulkImport,
  mayImport,
  ON_DUPLICATE,
} from "../../../domain/certificates/import/mod.ts";
import { createPreview, readPreviewContent } from "../../../domain/certificates/import_preview/mod.ts";
import { certificates } from "../../../domain/certificates/mod.ts";
import { importRenewing } from "../../../domain/certificates/renewal/renew.ts";
import { bulkCheckCertificates, checkCertificate, policies } from "../../../domain/compliance/mod.ts";
import { tenants } from "../../../domain/inventory/mod.ts";
import type { Call } from "../../call.ts";
import { idsOf, textOf } from "../../forms.ts";
import { readReferences } from "../../kit/mod.ts";
import { fieldErrorsOf } from "../../messages.ts";
import { listPath, objectPath } from "../../paths.ts";
import { done, seeOther } from "../../responses.ts";
import { formPage, OVERWRITE } from "./form_page.tsx";
import { findingText, inspectionPage, unreadableOf } from "./inspection_page.tsx";
import { ADD, previewPath } from "./paths.tsx";
import { reasonOf, renewalsOf } from "./renewable.tsx";
import { maxSourceBytes, sourceField, sourceOf } from "./sources.ts";

/** Maximum number of ids in the URL; more certificates are shown as the latest ones. */
const MAX_NAMED = 50;

/** Checks the certificates, and redirects to the only one or to a list of them. */
async function stored(
  call: Call,
  report: ImportReport & { readonly renewed?: readonly number[] },
): Promise<Response> {
  const { created_count: created, skipped_count: skipped, renewed = [] } = report;
  const updated = (report.results ?? []).flatMap(({ status, id }) => status === "updated" ? id ?? [] : []);
  const ids = [...renewed, ...report.certificates.map(({ id }) => id), ...updated];
  await checkNew(call, ids);
  const parts = [
    ...(renewed.length === 0 ? [] : [`${counted(renewed.length, "certificate")} renewed`]),
    ...(created === 0
      ? []
      : [`${renewed.length === 0 ? counted(created, "certificate") : numberText(created)} imported`]),
    ...(updated.length === 0 ? [] : [`${counted(updated.length, "certificate")} completed`]),
    ...(skipped === 0 ? [] : [`${skipped} already ${skipped === 1 ? "exists" : "exist"}`]),
  ];
  const text = ids.length === 0
    ? "All certificates already exist. Nothing was imported."
    : `${parts.join("; ")}.`;
  return done(call, nextPath(call, ids), text);
}

/** Returns the path of the new certificates. */
function nextPath(call: Call, ids: readonly number[]): string {
  if (ids.length === 0 || !isGranted(call.ctx, "view", certificates.objectType)) return ADD;
  if (ids.length === 1) return objectPath(certificates, ids[0]);
  if (ids.length > MAX_NAMED) return `${listPath(certificates)}?ordering=-created`;
  return `${listPath(certificates)}?${new URLSearchParams(ids.map((id) => ["id", String(id)]))}`;
}

/** More certificates would delay the response; the list has actions for them. */
const MAX_CHECKED = 20;

/**
 * Validates the chains and runs the policies, so that their pages have results before the daily evaluation, as far as the user may. The certificates are stored, so errors are only
 * logged. Does nothing for many certificates.
 */
export async function checkNew(call: Call, ids: readonly number[]): Promise<void> {
  const [id] = ids;
  if (id === undefined || ids.length > MAX_CHECKED) return;
  const { ctx } = call;
  const single = ids.length === 1;
  if (!single && !isGranted(ctx, "bulk_operations", certificates.objectType)) return;
  // Policies can depend on the result of the chain.
  if (isGranted(ctx, "change", certificates.objectType)) {
    // One by one: the bulk operation would store a result for certificates without PEM, too.
    for (const id of ids) {
      await attemptWork(call, () => validateCertificateChain({ ctx, id, input: undefined }));
    }
  }
  if (isGranted(ctx, "manage_compliance", policies.objectType)) {
    await attemptWork(
      call,
      () =>
        single
          ? checkCertificate({ ctx, id, input: {} })
          : bulkCheckCertificates({ ctx, input: { certificate_ids: ids } }),
    );
  }
}

async function attemptWork({ ctx }: Call, work: () => Promise<unknown>): Promise<void> {
  try {
    await work();
  } catch (error) {
    // Without PEM there is no chain, and constraints can exclude a certificate.
    if (error instanceof AppError) return;
    ctx.log.log("error", "check after import", { error: String(error) });
  }
}

/** Renders the form: empty, or with the document of a preview for editing (`?from=<key>`). */
export async function addForm(call: Call): Promise<Response> {
  const { ctx } = call;
  if (!mayImport(ctx)) throw forbidden();
  const key = call.query.get("from");
  if (key === null || !mayBulkImport(ctx)) return await formPage(call, {});
  const { content, overwrite, onDuplicate } = await readPreviewContent({ ctx, key });
  return await formPage(call, { content, onDuplicate: overwrite ? OVERWRITE : onDuplicate });
}

/** Shows the certificates of the input, or the preview of a table. Imports nothing. */
export async function readAdded(call: Call): Promise<Response> {
  if (!mayImport(call.ctx)) throw forbidden();
  try {
    await resolveTenant(call);
    const source = await sourceOf(call.form, { maxBytes: maxSourceBytes(call) });
    return source.kind === "table"
      ? await previewTable(call, source.content)
      : await inspectAdded(call, source.content);
  } catch (error) {
    return await formPage(call, { errors: atSource(call.form, importErrorsOf(call, error)) });
  }
}

/** Fields of the form for which a table has columns. */
const COLUMNS = ["tags", "private_key_location"] as const;

async function previewTable(call: Call, content: string | Uint8Array): Promise<Response> {
  const { ctx, form } = call;
  if (!mayBulkImport(ctx)) {
    throw invalidField("content", "table_not_permitted");
  }
  const given = COLUMNS.filter((name) => textOf(form, name).trim() !== "");
  if (given.length > 0) throw invalid(given.map((name) => findingAt(name, "has_column", { name })));
  const chosen = textOf(form, "on_duplicate");
  const overwrite = chosen === OVERWRITE;
  const onDuplicate = overwrite ? "update" : ON_DUPLICATE.find((one) => one === chosen) ?? "error";
  const input = { content, format: "auto", onDuplicate, overwrite, tenant: textOf(form, "tenant") } as const;
  const { key } = await createPreview({ ctx, input });
  return seeOther(call, previewPath(key));
}

/** Moves errors of the input to the field that contained it. */
function atSource(form: FormData, { content, pem_content, ...others }: FieldErrors): FieldErrors {
  const messages = [...content ?? [], ...pem_content ?? []];
  return messages.length === 0 ? others : { ...others, [sourceField(form)]: messages };
}

/** Maximum number of unreadable parts in the error at the field. */
const MAX_REASONS = 5;

/**
 * Shows the certificates found in the input, with errors of an import that failed; or the form, if the input has none.
 * Stores nothing. Errors: forbidden, invalid.
 */
async function inspectAdded(
  call: Call,
  content: InspectionInput["content"],
  errors: FieldErrors = {},
): Promise<Response> {
  const found = await inspectBundle({ ctx: call.ctx, input: { content, ...ownOf(call.form) } });
  if (found.certificates.length > 0) return inspectionPage(call, found, errors);
  return await formPage(call, {
    errors: { [sourceField(call.form)]: reasonsOf(found), ...errors },
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
  const input = { pem_content, ...ownOf(form) };
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
async function resolveTenant(call: Call): Promise<void> {
  const [reading] = await readReferences(call, [tenants], [textOf(call.form, "tenant")].filter(Boolean));
  if (reading !== undefined && "id" in reading) call.form.set("tenant", reading.id);
}

/** Returns the fields for all certificates. */
function ownOf(form: FormData): Partial<Record<"tenant" | "tags" | "private_key_location", unknown>> {
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
function importErrorsOf({ ctx }: Call, error: unknown): FieldErrors {
  const inForm = error instanceof AppError &&
    (error.code === "invalid" || (error.code === "forbidden" && mayImport(ctx)));
  if (!inForm) throw error;
  return fieldErrorsOf(error);
}

/** The import of a bundle: form, inspection, confirmation. */

import { AppError, type FieldErrors, forbidden } from "../../base/errors.ts";
import { MAX_MEMBERS, MAX_PEM_TEXT_BYTES } from "../../base/limits.ts";
import { sizeText } from "../../base/amounts.ts";
import {
  importPem,
  inspectBundle,
  type Inspection,
  isImportReport,
  mayBulkImport,
  mayImport,
} from "../../domain/certificates/import/mod.ts";
import { tags, tenants } from "../../domain/inventory/mod.ts";
import type { Call } from "../call.ts";
import { idsOf, textOf } from "../forms.ts";
import { ErrorSummary, FileField, Icon, Select, TextArea, TextField } from "../components/mod.ts";
import { fieldErrorsOf } from "../messages.ts";
import { choicesFor } from "../objects/mod.ts";
import { page } from "../shell/mod.ts";
import { inspectionPage, Unreadable } from "./inspection_page.tsx";
import { GuardedForm } from "./guarded_form.tsx";
import { BULK, SINGLE } from "./paths.ts";
import { FILE, sourceOf } from "./sources.ts";
import { stored } from "./import_result.ts";
import { TenantField } from "./tenant_field.tsx";

const FIELDS = ["pem_content", FILE, "tenant", "tags", "private_key_location"];

/** Renders the empty form. */
export async function importForm(call: Call): Promise<Response> {
  if (!mayImport(call.ctx)) throw forbidden();
  return await formPage(call, {});
}

/** Shows the certificates found in the input; stores nothing. */
export async function inspectUpload(call: Call): Promise<Response> {
  try {
    const content = await sourceOf(call.form, "pem_content");
    const found = await inspectBundle({ ctx: call.ctx, input: { content, ...ownOf(call) } });
    return await shown(call, found, {});
  } catch (error) {
    return await formPage(call, refusalOf(call, error));
  }
}

/** Imports the certificates that were shown. */
export async function storeInspected(call: Call): Promise<Response> {
  const pem = textOf(call.form, "pem_content");
  const own = ownOf(call);
  try {
    const outcome = await importPem({ ctx: call.ctx, input: { pem_content: pem, split: true, ...own } });
    if (!isImportReport(outcome)) throw new Error("An import that splits returns a report");
    return stored(call, outcome);
  } catch (error) {
    const errors = refusalOf(call, error);
    // Something has changed since the inspection, so it is shown again.
    const found = await inspectBundle({ ctx: call.ctx, input: { content: pem, ...own } })
      .catch((again): Inspection | FieldErrors => refusalOf(call, again));
    return "certificates" in found
      ? await shown(call, found as Inspection, errors)
      : await formPage(call, errors);
  }
}

/** Renders the inspection, or the form with errors if no certificates were found. */
async function shown(call: Call, found: Inspection, errors: FieldErrors): Promise<Response> {
  if (found.certificates.length > 0) return inspectionPage(call, found, errors);
  const given = textOf(call.form, "pem_content").trim() === "" ? FILE : "pem_content";
  return await formPage(
    call,
    { [given]: ["No certificates found. Use PEM, DER or PKCS#7."], ...errors },
    found,
  );
}

/** Returns the fields for all certificates. */
function ownOf({ form }: Call): Record<string, unknown> {
  const [tenant] = idsOf(form, "tenant");
  const location = textOf(form, "private_key_location").trim();
  const tagIds = idsOf(form, "tags");
  return {
    ...(tenant === undefined ? {} : { tenant }),
    ...(tagIds.length === 0 ? {} : { tags: tagIds }),
    ...(location === "" ? {} : { private_key_location: location }),
  };
}

/** Returns errors to show in the form (also forbidden: constraints can exclude this import); throws others. */
function refusalOf({ ctx }: Call, error: unknown): FieldErrors {
  const inForm = error instanceof AppError &&
    (error.code === "invalid" || (error.code === "forbidden" && mayImport(ctx)));
  if (!inForm) throw error;
  return fieldErrorsOf(error);
}

const SAMPLE = "-----BEGIN CERTIFICATE-----\n…\n-----END CERTIFICATE-----";

async function formPage(call: Call, errors: FieldErrors, found?: Inspection): Promise<Response> {
  const { form } = call;
  const [tenantOptions, tagOptions] = await Promise.all([choicesFor(call, tenants), choicesFor(call, tags)]);
  const text = textOf(form, "pem_content");
  const size = sizeText(MAX_PEM_TEXT_BYTES);
  return page(
    call,
    {
      title: "Import certificates",
      above: [["Certificates", "/certificates/"]],
      actions: mayBulkImport(call.ctx)
        ? (
          <a role="button" class="secondary" href={BULK}>
            <Icon name="upload" />Bulk import
          </a>
        )
        : undefined,
      ...(Object.keys(errors).length === 0 ? {} : { status: 400 }),
    },
    <>
      <ErrorSummary errors={errors} shown={FIELDS} />
      {found === undefined ? null : <Unreadable found={found} />}
      <GuardedForm call={call} action={SINGLE} maxBytes={MAX_PEM_TEXT_BYTES}>
        <div class="sources">
          <TextArea
            name="pem_content"
            label="Certificates"
            rows={9}
            mono
            value={text}
            placeholder={SAMPLE}
            help="One or more PEM blocks, in any order. Text between blocks is ignored."
            errors={errors}
          />
          <FileField
            name={FILE}
            label="or upload a file"
            accept=".pem,.crt,.cer,.der,.p7b,.p7c,.txt,application/x-x509-ca-cert,application/x-pkcs7-certificates"
            help={`PEM, DER or PKCS#7. Drop a file here or choose one. At most ${size} and ${
              MAX_MEMBERS.toLocaleString("en")
            } certificates.`}
            errors={errors}
          />
        </div>
        <p class="faint">
          Each certificate becomes a separate record. Private keys are rejected and never stored.
        </p>
        <div class="filters">
          <TenantField call={call} options={tenantOptions} errors={errors} />
          {tagOptions === undefined || tagOptions.length === 0 ? null : (
            <Select
              name="tags"
              value={form.getAll("tags").map(String)}
              options={tagOptions}
              multiple
              errors={errors}
            />
          )}
          <TextField
            name="private_key_location"
            value={textOf(form, "private_key_location")}
            help="Where the private keys are stored. Do not paste the keys themselves."
            errors={errors}
          />
        </div>
        <div class="form-actions">
          <button type="submit">Preview</button>
          <span class="faint">Nothing is imported until you confirm.</span>
        </div>
      </GuardedForm>
    </>,
  );
}

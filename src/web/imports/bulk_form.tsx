/** The form of the bulk import, and the user's open previews. */

import { AppError, type FieldErrors } from "../../base/errors.ts";
import { IMPORT_PREVIEW_MS, MAX_REPEATED_DOCUMENT_CHARS } from "../../base/limits.ts";
import { sizeText } from "../../base/amounts.ts";
import { ON_DUPLICATE, OPTIONAL_COLUMNS, REQUIRED_COLUMNS } from "../../domain/certificates/import/mod.ts";
import {
  createPreview,
  listPreviews,
  type PreviewHead,
  readPreviewContent,
} from "../../domain/certificates/import_preview/mod.ts";
import { tenants } from "../../domain/inventory/mod.ts";
import type { Call } from "../call.ts";
import { textOf } from "../forms.ts";
import { ErrorSummary, FileField, type Html, Icon, Select, TextArea } from "../components/mod.ts";
import { fieldErrorsOf } from "../messages.ts";
import { choicesFor } from "../objects/mod.ts";
import { seeOther } from "../responses.ts";
import { page } from "../shell/mod.ts";
import { GuardedForm } from "./guarded_form.tsx";
import { OpenPreviews } from "./open_previews.tsx";
import { BULK, previewPath } from "./paths.ts";
import { FILE, sourceOf } from "./sources.ts";
import { TenantField } from "./tenant_field.tsx";

/** The choice that is `update` with `overwrite` in the API. */
const OVERWRITE = "overwrite";

const ON_DUPLICATE_OPTIONS: [value: string, label: string][] = [
  ["error", "Report as errors"],
  ["skip", "Skip"],
  ["update", "Fill missing values"],
  [OVERWRITE, "Replace values"],
];

/** Values of the form. */
interface FormState {
  readonly content: string;
  readonly onDuplicate: string;
  readonly errors: FieldErrors;
  /** Message above the form. */
  readonly note?: string;
}

/** Renders the form: empty, or with the document of a preview for editing (`?from=<key>`). */
export async function bulkForm(call: Call): Promise<Response> {
  const previews = await listPreviews(call);
  const from = previews.find(({ key }) => key === call.query.get("from"));
  if (from === undefined) {
    return await formPage(call, previews, { content: "", onDuplicate: "error", errors: {} });
  }
  const content = await readPreviewContent({ ctx: call.ctx, key: from.key });
  const repeated = content.length <= MAX_REPEATED_DOCUMENT_CHARS;
  return await formPage(call, previews, {
    content: repeated ? content : "",
    onDuplicate: from.overwrite ? OVERWRITE : from.onDuplicate,
    errors: {},
    ...(repeated ? {} : { note: "This table is too long to edit here. Edit the file and choose it again." }),
  });
}

/** Validates the document and shows its preview. */
export async function makePreview(call: Call): Promise<Response> {
  const { ctx, form } = call;
  const chosen = textOf(form, "on_duplicate");
  const overwrite = chosen === OVERWRITE;
  const onDuplicate = overwrite ? "update" : ON_DUPLICATE.find((one) => one === chosen) ?? "error";
  try {
    const content = await sourceOf(form, "content");
    const input = {
      content,
      format: "auto",
      onDuplicate,
      overwrite,
      tenant: textOf(form, "tenant"),
    } as const;
    const { key } = await createPreview({ ctx, input });
    return seeOther(call, previewPath(key));
  } catch (error) {
    if (error instanceof AppError && error.code !== "invalid") throw error;
    const text = textOf(form, "content");
    const content = text.length > MAX_REPEATED_DOCUMENT_CHARS ? "" : text;
    return await formPage(call, await listPreviews(call), {
      content,
      onDuplicate: chosen,
      errors: atSource(form, fieldErrorsOf(error)),
    });
  }
}

/** Puts errors of the document at the file when one was given. */
function atSource(form: FormData, { content, ...others }: FieldErrors): FieldErrors {
  if (content === undefined) return others;
  const file = form.get(FILE);
  const atFile = file instanceof File && file.name !== "" && textOf(form, "content").trim() === "";
  return { ...others, [atFile ? FILE : "content"]: content };
}

async function formPage(call: Call, previews: readonly PreviewHead[], given: FormState): Promise<Response> {
  const options = await choicesFor(call, tenants);
  return page(
    call,
    {
      title: "Bulk import",
      above: [["Certificates", "/certificates/"]],
      actions: <Templates />,
      ...(Object.keys(given.errors).length === 0 ? {} : { status: 400 }),
    },
    <>
      <ErrorSummary errors={given.errors} shown={["content", FILE, "tenant"]} />
      {given.note === undefined ? null : <p class="flash info">{given.note}</p>}
      <GuardedForm call={call} action={BULK} maxBytes={call.ctx.settings.importFileMaxBytes}>
        <Sources call={call} given={given} />
        <div class="filters">
          <Select
            name="on_duplicate"
            label="Existing certificates"
            value={given.onDuplicate}
            options={ON_DUPLICATE_OPTIONS}
            errors={given.errors}
          />
          <TenantField
            call={call}
            options={options}
            errors={given.errors}
            help="For rows without a tenant."
          />
        </div>
        <div class="form-actions">
          <button type="submit">Preview</button>
          <span class="faint">Nothing is imported until you confirm.</span>
        </div>
      </GuardedForm>
      <OpenPreviews call={call} previews={previews} />
      <Columns />
    </>,
  );
}

/** Example of a table. */
const SAMPLE =
  "common_name,serial_number,issuer,valid_from,…\nwww.example.com,0A:1B:2C,CN=Example CA,2026-01-01,…";

function Sources({ call, given: { content, errors } }: { call: Call; given: FormState }): Html {
  const { importFileMaxBytes, importMaxRows } = call.ctx.settings;
  return (
    <div class="sources">
      <TextArea
        name="content"
        label="Table"
        rows={11}
        mono
        value={content}
        placeholder={SAMPLE}
        help="CSV or JSON, detected automatically."
        errors={errors}
      />
      <FileField
        name={FILE}
        label="or upload a file"
        accept=".csv,.json,.txt,.tsv,text/csv,application/json"
        help={`Drop a file here or choose one. At most ${sizeText(importFileMaxBytes)} and ${
          importMaxRows.toLocaleString("en")
        } rows.`}
        errors={errors}
      />
    </div>
  );
}

function Templates(): Html {
  return (
    <>
      <a role="button" class="secondary" href={`${BULK}template.csv`} download>
        <Icon name="download" />CSV template
      </a>
      <a role="button" class="secondary" href={`${BULK}template.json`} download>
        <Icon name="download" />JSON template
      </a>
    </>
  );
}

/** Minutes until a preview expires. */
const KEPT_MINUTES = IMPORT_PREVIEW_MS / 60_000;

/** Renders help about the columns. */
function Columns(): Html {
  return (
    <details class="box">
      <summary>Columns</summary>
      <p>
        Required: <NameList names={REQUIRED_COLUMNS} />. Optional:{" "}
        <NameList names={OPTIONAL_COLUMNS} />. Exports of this service can be imported unchanged.
      </p>
      <ul>
        <li>
          Dates have the form <code>2026-12-31</code>.
        </li>
        <li>
          <code>algorithm</code> is <code>rsa</code>, <code>ecdsa</code>, <code>ed25519</code> or{" "}
          <code>unknown</code>.
        </li>
        <li>
          Headings are read in any case and by common other names; unknown ones can be assigned in the
          preview.
        </li>
        <li>
          In CSV, names in <code>sans</code>{" "}
          are separated by semicolons, commas or spaces; in JSON they are a list.
        </li>
        <li>
          <code>tenant</code> is a name, a slug or an id.
        </li>
      </ul>
      <p class="faint">Only you can see your previews. They expire after {KEPT_MINUTES} minutes.</p>
    </details>
  );
}

function NameList({ names }: { names: readonly string[] }): Html {
  return (
    <>
      {names.map((name, index) => (
        <>
          {index === 0 ? "" : index === names.length - 1 ? " and " : ", "}
          <code>{name}</code>
        </>
      ))}
    </>
  );
}

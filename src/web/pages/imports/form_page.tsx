/** The page "Add certificates": one form for files, pasted texts and tables. */

import { isGranted } from "../../../auth/mod.ts";
import type { FieldErrors } from "../../../base/errors.ts";
import { MAX_REPEATED_DOCUMENT_CHARS } from "../../../base/limits.ts";
import { mayBulkImport, REQUIRED_COLUMNS } from "../../../domain/certificates/import/mod.ts";
import { certificates } from "../../../domain/certificates/mod.ts";
import { tags, tenants } from "../../../domain/inventory/mod.ts";
import { assetPath } from "../../assets/mod.ts";
import {
  type Content,
  ErrorSummary,
  FileField,
  Form,
  type Html,
  Icon,
  Select,
  type SelectOption,
  TextArea,
  TextField,
} from "../../kit/components/mod.ts";
import type { Call } from "../../call.ts";
import { textOf } from "../../forms.ts";
import { labelOf } from "../../messages.ts";
import { choicesFor } from "../../kit/mod.ts";
import { SUGGEST, TENANT } from "./cell_choices.ts";
import { page } from "../../shell/mod.ts";
import { ADD, MANUAL } from "./paths.tsx";
import { FILE, maxSourceBytes, TEXT } from "./sources.ts";
import { TableHelp } from "./table_help.tsx";

/** The choice that is `update` with `overwrite` in the API. */
export const OVERWRITE = "overwrite";

const ON_DUPLICATE_OPTIONS: SelectOption[] = [
  ["error", "Report as errors"],
  ["skip", "Skip"],
  ["update", "Fill missing values"],
  [OVERWRITE, "Replace values"],
];

/** Content of the form. Without `content` and `onDuplicate`: the posted values. */
interface FormContent {
  readonly content?: string;
  readonly onDuplicate?: string;
  readonly errors?: FieldErrors;
}

const FURTHER = ["tags", "private_key_location", "on_duplicate"];
const FIELDS = [TEXT, FILE, "tenant", ...FURTHER];
/** Labels of the fields. */
const LABELS = {
  [TEXT]: "Or paste text",
  [FILE]: "Files",
  on_duplicate: "Existing certificates of a table",
} as const;

export async function formPage(call: Call, given: FormContent): Promise<Response> {
  const { errors = {}, content = "" } = given;
  const bulk = mayBulkImport(call.ctx);
  return page(
    call,
    {
      title: "Add certificates",
      above: [["Certificates", "/certificates/"]],
      actions: isGranted(call.ctx, "add", certificates.objectType)
        ? (
          <a role="button" class="secondary" href={MANUAL}>
            <Icon name="edit" />Enter manually
          </a>
        )
        : undefined,
      ...(Object.keys(errors).length === 0 ? {} : { status: 400 }),
    },
    <>
      <ErrorSummary errors={errors} shown={FIELDS} labels={{ ...LABELS, [TEXT]: "Text" }} />
      {content.length > MAX_REPEATED_DOCUMENT_CHARS && (
        <p class="flash info">This table is too long to edit here. Edit the file and choose it again.</p>
      )}
      <GuardedForm call={call} action={ADD} maxBytes={maxSourceBytes(call)}>
        <Sources call={call} given={given} bulk={bulk} />
        {await options(call, given, bulk)}
        <div class="form-actions">
          <button type="submit">Preview</button>
          <span class="faint">Nothing is imported until you confirm.</span>
        </div>
      </GuardedForm>
      {bulk && <TableHelp call={call} />}
    </>,
  );
}

const SAMPLE = "-----BEGIN CERTIFICATE-----\n…\n-----END CERTIFICATE-----";
const TABLE_SAMPLE = `\n\nor a table:\n\n${
  REQUIRED_COLUMNS.map(labelOf).join(",")
}\nwww.example.com,0A:1B:2C,…`;

/** Renders the fields for files and text. */
function Sources({ call, given, bulk }: { call: Call; given: FormContent; bulk: boolean }): Html {
  const { errors = {} } = given;
  const text = given.content ?? textOf(call.form, TEXT);
  const kinds = bulk ? "PEM, DER, PKCS#7, CSV, Excel (.xlsx) or JSON" : "PEM, DER or PKCS#7";
  return (
    <div class="sources">
      <FileField
        name={FILE}
        label={LABELS[FILE]}
        multiple
        help={`Drop files here or choose them: ${kinds}, recognized by content.`}
        errors={errors}
      />
      <TextArea
        name={TEXT}
        value={text.length > MAX_REPEATED_DOCUMENT_CHARS ? "" : text}
        mono
        errors={errors}
        label={LABELS[TEXT]}
        rows={9}
        placeholder={bulk ? `${SAMPLE}${TABLE_SAMPLE}` : SAMPLE}
        help="In any order; text between certificates is ignored. Private keys are rejected and never stored."
      />
    </div>
  );
}

/** Renders the tenant, and further fields, which are expanded if one is invalid or set. */
async function options(
  call: Call,
  { errors = {}, onDuplicate }: FormContent,
  bulk: boolean,
): Promise<Html> {
  const { form } = call;
  const [tenantOptions, tagOptions = []] = await Promise.all([
    choicesFor(call, tenants),
    choicesFor(call, tags),
  ]);
  const location = textOf(form, "private_key_location");
  const duplicates = onDuplicate ?? (textOf(form, "on_duplicate") || "error");
  const open = FURTHER.some((name) => Object.hasOwn(errors, name)) || location !== "" || form.has("tags") ||
    duplicates !== "error";
  return (
    <>
      <div class="filters">
        <TenantField call={call} options={tenantOptions} errors={errors} />
      </div>
      <details class="further" open={open}>
        <summary>{bulk ? "Tags, key location and existing certificates" : "Tags and key location"}</summary>
        <div class="filters">
          {tagOptions.length > 0 && (
            <Select
              name="tags"
              value={form.getAll("tags").map(String)}
              options={tagOptions}
              multiple
              help="Tables have a column for tags."
              errors={errors}
            />
          )}
          <TextField
            name="private_key_location"
            value={location}
            help="Where the private keys are, never the keys themselves. Tables have a column for it."
            errors={errors}
          />
          {bulk && (
            <Select
              name="on_duplicate"
              label={LABELS.on_duplicate}
              value={duplicates}
              options={ON_DUPLICATE_OPTIONS}
              help="Certificates in PEM, DER or PKCS#7 files are skipped if they exist."
              errors={errors}
            />
          )}
        </div>
      </details>
    </>
  );
}

/**
 * Renders a form whose text and files a script checks for private keys before sending, and for more than `maxBytes`. It also
 * works without the script.
 */
export function GuardedForm(
  { call, action, maxBytes, children }: {
    call: Call;
    action: string;
    maxBytes: number;
    children: Content;
  },
): Html {
  return (
    <>
      <link rel="stylesheet" href={assetPath("imports.css")} />
      <script type="module" src={assetPath("imports.js")}></script>
      <div class="box" data-guard data-max-bytes={String(maxBytes)}>
        <p class="flash error" role="alert" data-guard-message hidden></p>
        <Form call={call} action={action} files>{children}</Form>
      </div>
    </>
  );
}

/** Renders the field. If the user may view only one tenant, it is preselected. */
function TenantField(
  { call, options, errors }: {
    call: Call;
    options: readonly SelectOption[] | undefined;
    errors: FieldErrors;
  },
): Html | null {
  if (options?.length === 0) return null;
  const field = { name: TENANT, value: textOf(call.form, TENANT), errors };
  if (options === undefined) return <TextField {...field} suggest={SUGGEST} help="Search by name." />;
  const only = options.length === 1 && !call.session.actor.isSuperuser && !call.form.has(TENANT);
  return (
    <Select
      {...field}
      {...(only ? { value: options[0]?.[0] ?? "" } : {})}
      options={[["", "none"], ...options]}
    />
  );
}

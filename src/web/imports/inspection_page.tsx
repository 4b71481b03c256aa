/** The inspection of a text or file: certificates and unreadable blocks. */

import type { FieldErrors } from "../../base/errors.ts";
import { certificates } from "../../domain/certificates/mod.ts";
import type { InspectedCertificate, Inspection } from "../../domain/certificates/import/mod.ts";
import { assetPath } from "../assets/mod.ts";
import type { Call } from "../call.ts";
import { textOf } from "../forms.ts";
import {
  Badge,
  Day,
  ErrorSummary,
  Form,
  type Html,
  Icon,
  Property,
  PropertyList,
  truncate,
} from "../components/mod.ts";
import { labelOf } from "../messages.ts";
import { objectPath } from "../paths.ts";
import { page } from "../shell/mod.ts";
import { Names } from "./long_text.tsx";
import { ADD } from "./paths.ts";

/** Maximum of certificates that are shown. */
const MAX_SHOWN = 60;
/** With more certificates, the button that imports them is at the top as well. */
const MAX_BELOW = 3;
/** Maximum of unreadable blocks that are shown. */
const MAX_FINDINGS = 50;

/** Renders the certificates (at least one), and the import button. */
export function inspectionPage(call: Call, found: Inspection, errors: FieldErrors): Response {
  const { certificates: all, findings } = found;
  const fresh = all.filter(({ status }) => status === "create").length;
  const bad = all.filter(({ status }) => status === "error").length;
  return page(
    call,
    {
      title: "Preview of certificates",
      // One below the certificates is enough if there are few.
      actions: all.length > MAX_BELOW ? <ImportButton fresh={fresh} bad={bad} /> : null,
      above: [["Certificates", "/certificates/"], ["Add certificates", ADD]],
      ...(Object.keys(errors).length === 0 ? {} : { status: 400 }),
    },
    <>
      <link rel="stylesheet" href={assetPath("imports.css")} />
      <ErrorSummary errors={errors} shown={[]} />
      <p class="counts" role="status">
        {fresh === 0
          ? <strong>Nothing to import</strong>
          : <Badge value={`${fresh.toLocaleString("en")} new`} tone="good" />}
        {counted(all, "skip", "skipped", "info")}
        {counted(all, "error", "with errors", "bad")}
        {findings.length === 0
          ? null
          : <Badge value={`${findings.length.toLocaleString("en")} unreadable`} tone="bad" />}
      </p>
      <UnreadableDocument found={found} />
      {all.slice(0, MAX_SHOWN).map((one) => <CertificateSection one={one} open={all.length === 1} />)}
      {all.length > MAX_SHOWN
        ? <p class="faint">… and {(all.length - MAX_SHOWN).toLocaleString("en")} more.</p>
        : null}
      <StoreForm call={call} found={found} fresh={fresh} bad={bad} />
    </>,
  );
}

function counted(
  all: readonly InspectedCertificate[],
  countedStatus: InspectedCertificate["status"],
  words: string,
  tone: "info" | "bad",
): Html | null {
  const count = all.filter(({ status }) => status === countedStatus).length;
  return count === 0 ? null : <Badge value={`${count.toLocaleString("en")} ${words}`} tone={tone} />;
}

/** Renders the blocks that are no certificates, with reasons. */
export function UnreadableDocument(
  { found: { findings: every, certificates: all } }: { found: Inspection },
): Html | null {
  // The field says that the text has no certificate.
  const findings = every.filter(({ code }) => code !== "no_pem");
  if (findings.length === 0) return null;
  return (
    <div class="flash warn" role="alert">
      <Icon name="warning" />
      <div>
        {all.length === 0 ? null : <p>These parts cannot be read and are skipped:</p>}
        <ul>
          {findings.slice(0, MAX_FINDINGS).map(({ message, block, line, file }) => (
            <li>
              {file === undefined ? "" : <bdi>{truncate(file)}:</bdi>}{" "}
              {block === undefined ? "" : `Block ${block}, line ${line}: `}
              {message}.
            </li>
          ))}
        </ul>
      </div>
    </div>
  );
}

const STATUS = {
  create: ["new", "good"],
  skip: ["skipped", "info"],
  error: ["error", "bad"],
} as const;

function CertificateSection({ one, open }: { one: InspectedCertificate; open: boolean }): Html {
  const [word, tone] = STATUS[one.status];
  return (
    <details class="box found" open={open || one.status === "error" || one.warnings.length > 0}>
      <summary>
        <span class="place">{one.place}</span>
        <bdi class="name">{truncate(one.common_name)}</bdi>
        <Badge value={word} tone={tone} />
        <Badge value={roleOf(one)} tone="plain" />
        <span class="until">
          until <Day at={one.valid_to} />
        </span>
        <bdi class="by">{truncate(one.issuer)}</bdi>
      </summary>
      <Messages one={one} />
      <PropertyList>
        <Property name="Subject">
          <Names text={one.subject} />
        </Property>
        <Property name="Issuer">
          <Names text={one.issuer} />
          {one.issued_by === null
            ? null
            : <small class="faint">certificate {one.issued_by} of this import</small>}
        </Property>
        <Property name="Serial number">
          <code>{one.serial_number}</code>
        </Property>
        <Property name="Validity">
          <Day at={one.valid_from} /> – <Day at={one.valid_to} />
        </Property>
        <Property name="Key">{one.key}{one.key_size === null ? "" : `, ${one.key_size} bits`}</Property>
        <Property name="Subject alternative names">
          {one.sans.length === 0 ? null : <Names list={one.sans} />}
        </Property>
        <Property name={labelOf("fingerprint_sha256")}>
          <code>{one.fingerprint_sha256}</code>
        </Property>
        {one.file === undefined && one.line === undefined ? null : (
          <Property name="Position">
            {one.file === undefined ? null : <bdi>{truncate(one.file)}</bdi>}
            {one.line === undefined
              ? null
              : `${one.file === undefined ? "" : ", "}block ${one.block}, line ${one.line}`}
          </Property>
        )}
      </PropertyList>
      {one.warnings.length === 0
        ? null
        : <ul class="warnings">{one.warnings.map((warning) => <li>{warning}</li>)}</ul>}
    </details>
  );
}

/** Says of a certificate that is no authority whether it is its own issuer. */
function roleOf({ role, subject, issuer }: InspectedCertificate): string {
  return role === "end entity" && subject === issuer ? "self-signed" : role;
}

function Messages({ one: { status, messages, existing } }: { one: InspectedCertificate }): Html | null {
  const entries = Object.entries(messages);
  if (entries.length === 0) return null;
  return (
    <p class={status === "error" ? "wrong" : "faint"}>
      {entries.map(([field, texts]) =>
        `${field === "__all__" ? "" : `${labelOf(field)}: `}${texts.join(" ")}`
      )
        .join(" ")}
      {existing === null ? null : (
        <>
          {" "}
          <a href={objectPath(certificates, existing)}>View certificate</a>
        </>
      )}
    </p>
  );
}

/** The form that stores the certificates; a button at the top of the page belongs to it as well. */
const STORE = "store";

function ImportButton({ fresh, bad }: { fresh: number; bad: number }): Html | null {
  if (fresh === 0 || bad > 0) return null;
  return (
    <button type="submit" form={STORE}>
      {fresh === 1 ? "Import certificate" : `Import ${fresh.toLocaleString("en")} certificates`}
    </button>
  );
}

/** Fields that are passed to the import. */
const KEPT = ["tenant", "tags", "private_key_location"];

function StoreForm(
  { call, found, fresh, bad }: { call: Call; found: Inspection; fresh: number; bad: number },
): Html {
  return (
    <Form call={call} action={`${ADD}store/`} files id={STORE}>
      <textarea name="pem_content" hidden aria-hidden="true">{found.pem}</textarea>
      {KEPT.flatMap((name) =>
        call.form.getAll(name).map((value) => (
          <input type="hidden" name={name} value={typeof value === "string" ? value : ""} />
        ))
      )}
      {textOf(call.form, "private_key_location") === ""
        ? null
        : <p class="faint">Private key location: {textOf(call.form, "private_key_location").slice(0, 200)}
        </p>}
      <div class="form-actions">
        <ImportButton fresh={fresh} bad={bad} />
        <a role="button" class="secondary" href={ADD}>
          {fresh === 0 || bad > 0 ? "Import other certificates" : "Cancel"}
        </a>
      </div>
    </Form>
  );
}

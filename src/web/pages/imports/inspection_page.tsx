/** The inspection of a text or file: certificates and unreadable blocks. */

import { counted, numberText } from "../../../base/amounts.ts";
import type { FieldErrors } from "../../../base/errors.ts";
import type { Inspection } from "../../../domain/certificates/import/mod.ts";
import { signingRequests } from "../../../domain/signing_requests/mod.ts";
import { assetPath } from "../../assets/mod.ts";
import type { Call } from "../../call.ts";
import { textOf } from "../../forms.ts";
import {
  Badge,
  ErrorSummary,
  Form,
  type Html,
  Icon,
  isolate,
  type Tone,
  truncate,
} from "../../kit/components/mod.ts";
import { may } from "../../kit/mod.ts";
import { listPath } from "../../paths.ts";
import { page } from "../../shell/mod.ts";
import { InspectedChains } from "./inspected_chains.tsx";
import { ADD } from "./paths.ts";
import { isRenewable, isRenewing, ReasonSelect } from "./renewable.tsx";
import { hasSeparateIssuers } from "./separate_issuers.tsx";

/** With more certificates, the button that imports them is at the top as well. */
const MAX_BELOW = 3;
/** Maximum number of unreadable blocks that are shown. */
const MAX_FINDINGS = 50;

/** Renders the certificates (at least one) by chain, and the import button. */
export function inspectionPage(call: Call, found: Inspection, errors: FieldErrors): Response {
  const { certificates: all } = found;
  const fresh = all.filter(({ status }) => status === "create").length;
  const bad = all.filter(({ status }) => status === "error").length;
  const renewing = all.filter((one) => isRenewing(one, call.form)).length;
  const importable = {
    fresh,
    bad,
    separate: hasSeparateIssuers(all),
    renewable: all.some(isRenewable),
    renewing,
  };
  return page(
    call,
    {
      title: "Preview of certificates",
      // A button below the certificates is enough if there are few.
      actions: all.length > MAX_BELOW ? <ImportButton {...importable} /> : null,
      above: [["Certificates", "/certificates/"], ["Add certificates", ADD]],
      ...(Object.keys(errors).length === 0 ? {} : { status: 400 }),
    },
    <>
      <link rel="stylesheet" href={assetPath("imports.css")} />
      {importable.separate || importable.renewable
        ? <script type="module" src={assetPath("imports.js")}></script>
        : null}
      <ErrorSummary errors={errors} shown={[]} />
      <Counts found={found} {...importable} />
      <UnreadableDocument call={call} found={found} />
      <InspectedChains all={all} form={STORE} given={call.form} />
      <StoreForm call={call} found={found} importable={importable} />
    </>,
  );
}

/** Renders the number of certificates that will be imported, and why others will not. */
function Counts({ found, fresh, bad, renewing }: Importable & { found: Inspection }): Html {
  const skipped = found.certificates.filter(({ status }) => status === "skip").length;
  const unreadable = found.findings.length;
  const parts: readonly (readonly [count: number, words: string, tone: Tone])[] = [
    [bad > 0 ? 0 : renewing, "can renew an existing one", "good"],
    [bad > 0 ? 0 : fresh - renewing, "can be imported", "good"],
    [bad, bad === 1 ? "has errors" : "have errors", "bad"],
    [skipped, skipped === 1 ? "is skipped" : "are skipped", "info"],
    [unreadable, unreadable === 1 ? "is unreadable" : "are unreadable", "bad"],
  ];
  return (
    <p class="counts" role="status">
      {bad > 0 || fresh === 0 ? <strong>Nothing can be imported</strong> : null}
      {parts.filter(([count]) => count > 0).map(([count, words, tone]) => (
        <Badge value={`${numberText(count)} ${words}`} tone={tone} />
      ))}
    </p>
  );
}

/** Renders the blocks that are not certificates, with reasons. */
function UnreadableDocument(
  { call, found: { findings: every } }: { call: Call; found: Inspection },
): Html | null {
  const findings = every.filter(({ code }) => code !== "no_pem");
  if (findings.length === 0) return null;
  return (
    <div class="flash warn" role="alert">
      <Icon name="warning" />
      <div>
        <p>These parts cannot be read and are skipped:</p>
        <ul>
          {findings.slice(0, MAX_FINDINGS).map((finding) => <li>{findingText(finding)}</li>)}
        </ul>
        <RequestHint call={call} findings={findings} />
      </div>
    </div>
  );
}

/** A certificate of which only the beginning was copied. */
const CUT_OFF =
  /^certificate is (?:cut off|longer than the input)$|^BEGIN [A-Z0-9 ]*CERTIFICATE without its END$/;

/** What is wrong with the encoding of a part; messages for users begin with a capital letter. */
const MALFORMED = /^[a-z]/;

/** A part that is a signing request, in PEM or DER. */
const SIGNING_REQUEST = /^(?:NEW )?CERTIFICATE REQUEST is not|certificate signing request/;

/** Renders where to register the signing requests among parts that cannot be read; nothing if there are none. */
export function RequestHint(
  { call, findings }: { call: Call; findings: Inspection["findings"] },
): Html | null {
  if (!may(call, signingRequests, "add")) return null;
  return findings.some(({ message }) => SIGNING_REQUEST.test(message))
    ? (
      <p>
        <a href={`${listPath(signingRequests)}new/`}>Register a signing request</a>
      </p>
    )
    : null;
}

/** Returns where a part is that cannot be read, and why. */
export function findingText({ message: given, line, file }: Inspection["findings"][number]): string {
  const name = file === undefined ? undefined : isolate(truncate(file));
  const message = SIGNING_REQUEST.test(given)
    ? "This is a signing request, not a certificate"
    : MALFORMED.test(given) && !CUT_OFF.test(given)
    ? `This is not a certificate, or a damaged one (${given})`
    : given;
  if (CUT_OFF.test(message) && line !== undefined) {
    const where = name === undefined ? "" : ` of ${name}`;
    return `The certificate in line ${numberText(line)}${where} is cut off. Copy it again.`;
  }
  const place = line === undefined ? "" : `From line ${numberText(line)}: `;
  return `${name === undefined ? "" : `${name}: `}${place}${message}.`;
}

/** Id of the form that stores the certificates; a button at the top of the page belongs to it as well. */
const STORE = "store";

/**
 * Renders the button with what it does to how many certificates. If that depends on choices of the user, a script counts
 * them.
 */
function ImportButton({ fresh, bad, separate, renewable }: Importable): Html | null {
  if (fresh === 0 || bad > 0) return null;
  const counts = separate || renewable;
  return (
    <button type="submit" form={STORE} data-import-count={counts ? String(fresh) : undefined}>
      {renewable
        ? fresh === 1 ? "Renew or import" : "Renew and import"
        : fresh === 1
        ? "Import certificate"
        : separate
        ? "Import certificates"
        : `Import ${counted(fresh, "certificate")}`}
    </button>
  );
}

interface Importable {
  /** Number of new certificates. */
  readonly fresh: number;
  /** Number of certificates with errors. */
  readonly bad: number;
  /** Whether the user chooses which issuers are added as well. */
  readonly separate: boolean;
  /** Whether the user chooses which certificates renew others, and how many are chosen. */
  readonly renewable: boolean;
  readonly renewing: number;
}

/** Fields that are sent to the import. */
const KEPT = ["tenant", "tags", "private_key_location"];

function StoreForm(
  { call, found, importable }: { call: Call; found: Inspection; importable: Importable },
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
      {importable.renewable ? <ReasonSelect value={textOf(call.form, "reason")} /> : null}
      <div class="form-actions">
        <ImportButton {...importable} />
        <a role="button" class="secondary" href={ADD}>
          {importable.fresh === 0 || importable.bad > 0 ? "Import other certificates" : "Cancel"}
        </a>
      </div>
    </Form>
  );
}

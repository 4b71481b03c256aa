/** The preview of certificates: those of a text or of files, and the button that imports them. */

import { counted, numberText } from "../../../base/amounts.ts";
import type { FieldErrors } from "../../../base/errors.ts";
import type { Inspection } from "../../../domain/certificates/import/mod.ts";
import { signingRequests } from "../../../domain/signing_requests/mod.ts";
import { assetPath } from "../../assets/mod.ts";
import type { Call } from "../../call.ts";
import { textOf } from "../../forms.ts";
import { ErrorSummary, Form, type Html, isolate, truncate } from "../../kit/components/mod.ts";
import { may } from "../../kit/mod.ts";
import { listPath } from "../../paths.ts";
import { hasSeparateIssuers } from "./chain_groups.tsx";
import { InspectedChains } from "./inspected_chains.tsx";
import { ADD } from "./paths.tsx";
import { Counts, expectedParts, importPage, Problems } from "./preview_parts.tsx";
import { isRenewable, isRenewing, ReasonSelect, STORE } from "./renewable.tsx";

/** With more certificates, the button that imports them is at the top as well. */
const MAX_BELOW = 3;
/** Maximum number of unreadable blocks that are shown. */
const MAX_FINDINGS = 50;

/** Renders the certificates (at least one) by chain, and the import button. */
export function inspectionPage(call: Call, found: Inspection, errors: FieldErrors): Response {
  const { certificates: all, pem } = found;
  const count = (status: typeof all[number]["status"]): number =>
    all.filter((one) => one.status === status).length;
  const blocked = count("error") > 0;
  const fresh = blocked ? 0 : count("create");
  const renewing = blocked ? 0 : all.filter((one) => isRenewing(one, call.form)).length;
  const unreadable = unreadableOf(found);
  const choices = { separate: hasSeparateIssuers(all), renewable: all.some(isRenewable) };
  const button = fresh === 0 ? null : <ImportButton fresh={fresh} {...choices} />;
  const location = textOf(call.form, "private_key_location");
  return importPage(
    call,
    {
      title: "Preview of certificates",
      // A button below the certificates is enough if there are few.
      actions: all.length > MAX_BELOW ? button : null,
      errors,
    },
    <>
      {choices.separate || choices.renewable
        ? <script type="module" src={assetPath("imports.js")}></script>
        : null}
      <ErrorSummary errors={errors} shown={[]} />
      <p class="counts" role="status">
        {fresh === 0 ? <strong>Nothing can be imported</strong> : null}
        <Counts
          parts={[
            [renewing, "can renew an existing one", "good"],
            ...expectedParts({ create: fresh - renewing, error: count("error"), skip: count("skip") }),
            [found.findings.length, found.findings.length === 1 ? "is unreadable" : "are unreadable", "bad"],
          ]}
        />
      </p>
      <Problems
        tone="warn"
        intro="These parts cannot be read and are skipped:"
        sentences={unreadable.slice(0, MAX_FINDINGS).map(findingText)}
      >
        <RequestHint call={call} findings={unreadable} />
      </Problems>
      <InspectedChains all={all} given={call.form} />
      <Form call={call} action={`${ADD}store/`} files id={STORE}>
        <textarea name="pem_content" hidden aria-hidden="true">{pem}</textarea>
        {KEPT.flatMap((name) =>
          call.form.getAll(name).map((value) => (
            <input type="hidden" name={name} value={typeof value === "string" ? value : ""} />
          ))
        )}
        {location === "" ? null : <p class="faint">Private key location: {location.slice(0, 200)}</p>}
        {choices.renewable ? <ReasonSelect value={textOf(call.form, "reason")} /> : null}
        <div class="form-actions">
          {button}
          <a role="button" class="secondary" href={ADD}>
            {button === null ? "Import other certificates" : "Cancel"}
          </a>
        </div>
      </Form>
    </>,
  );
}

/** Fields that are sent to the import. */
const KEPT = ["tenant", "tags", "private_key_location"];

/**
 * Renders the button with what it does to how many certificates. If that depends on choices of the user, a script counts
 * them.
 */
function ImportButton({ fresh, separate, renewable }: {
  fresh: number;
  /** Whether the user chooses which issuers are added as well, and which certificates renew others. */
  separate: boolean;
  renewable: boolean;
}): Html {
  return (
    <button type="submit" form={STORE} data-import-count={separate || renewable ? String(fresh) : undefined}>
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

/** Returns the parts that are no certificates. */
export function unreadableOf({ findings }: Inspection): Inspection["findings"] {
  return findings.filter(({ code }) => code !== "no_pem");
}

/** A certificate of which only the beginning was copied. */
const CUT_OFF =
  /^certificate is (?:cut off|longer than the input)$|^BEGIN [A-Z0-9 ]*CERTIFICATE without its END$/;

/** What is wrong with the encoding of a part; messages for users begin with a capital letter. */
const MALFORMED = /^[a-z]/;

/** Renders where to register the signing requests among parts that cannot be read; nothing if there are none. */
export function RequestHint(
  { call, findings }: { call: Call; findings: Inspection["findings"] },
): Html | null {
  if (!may(call, signingRequests, "add")) return null;
  return findings.some(({ code }) => code === "signing_request")
    ? (
      <p>
        <a href={`${listPath(signingRequests)}new/`}>Register a signing request</a>
      </p>
    )
    : null;
}

/** Returns where a part is that cannot be read, and why. */
export function findingText({ code, message: given, line, file }: Inspection["findings"][number]): string {
  const name = file === undefined ? undefined : isolate(truncate(file));
  const message = code === "signing_request"
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

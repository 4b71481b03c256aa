/**
 * The preview of certificates: those of a text or of files by chain, and the button that imports them.
 */

import { counted, numberText } from "../../../base/amounts.ts";
import type { FieldErrors } from "../../../base/errors.ts";
import type { Inspection } from "../../../domain/certificates/import/mod.ts";
import { assetPath } from "../../assets/mod.ts";
import type { Call } from "../../call.ts";
import { textOf } from "../../forms.ts";
import { ErrorSummary, Form, type Html, isolate, truncate } from "../../kit/components/mod.ts";
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
  const completing = blocked ? 0 : count("update");
  const fresh = blocked ? 0 : count("create") + completing;
  const renewing = blocked ? 0 : all.filter((one) => isRenewing(one, call.form)).length;
  const unreadable = unreadableOf(found);
  const renewable = all.some(isRenewable);
  const button = fresh === 0 ? null : <ImportButton fresh={fresh} renewable={renewable} />;
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
      {renewable && <script type="module" src={assetPath("imports.js")}></script>}
      <ErrorSummary errors={errors} shown={[]} />
      <p class="counts" role="status">
        {fresh === 0 && <strong>Nothing can be imported</strong>}
        <Counts
          parts={[
            [renewing, "can renew an existing one", "good"],
            ...expectedParts({
              create: fresh - renewing - completing,
              error: count("error"),
              skip: count("skip"),
            }),
            [completing, completing === 1 ? "completes a record" : "complete records", "good"],
            [found.findings.length, found.findings.length === 1 ? "is unreadable" : "are unreadable", "bad"],
          ]}
        />
      </p>
      <Problems
        tone="warn"
        intro="These parts cannot be read and are skipped:"
        sentences={unreadable.slice(0, MAX_FINDINGS).map(findingText)}
      />
      <InspectedChains all={all} given={call.form} />
      <Form call={call} action={`${ADD}store/`} files id={STORE}>
        <textarea name="pem_content" hidden aria-hidden="true">{pem}</textarea>
        {KEPT.flatMap((name) =>
          call.form.getAll(name).map((value) => (
            <input type="hidden" name={name} value={typeof value === "string" ? value : ""} />
          ))
        )}
        {location !== "" && <p class="faint">Private key location: {location.slice(0, 200)}</p>}
        {renewable && <ReasonSelect value={textOf(call.form, "reason")} />}
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

/** Renders the button; if the user chooses what is renewed, a script counts it. */
function ImportButton({ fresh, renewable }: { fresh: number; renewable: boolean }): Html {
  return (
    <button type="submit" form={STORE} data-import-count={renewable ? String(fresh) : undefined}>
      {renewable
        ? fresh === 1 ? "Renew or import" : "Renew and import"
        : fresh === 1
        ? "Import certificate"
        : `Import ${counted(fresh, "certificate")}`}
    </button>
  );
}

/** Returns the parts that are no certificates. */
export function unreadableOf({ findings }: Inspection): Inspection["findings"] {
  return findings.filter(({ code }) => code !== "no_pem");
}

/** Returns where a part is that cannot be read, and why. */
export function findingText({ code, message, part, line, file }: Inspection["findings"][number]): string {
  const name = file === undefined ? undefined : isolate(truncate(file));
  if (part === "cut_off" && line !== undefined) {
    const where = name === undefined ? "" : ` of ${name}`;
    return `The certificate in line ${numberText(line)}${where} is cut off. Copy it again.`;
  }
  const reason = code === "signing_request"
    ? "This is a signing request, not a certificate"
    : part === "damaged"
    ? `This is not a certificate, or a damaged one (${message})`
    : message;
  const place = line === undefined ? "" : `From line ${numberText(line)}: `;
  return `${name === undefined ? "" : `${name}: `}${place}${reason}.`;
}

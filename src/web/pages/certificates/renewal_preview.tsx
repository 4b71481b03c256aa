/** Compares both certificates of a renewal before it is done. */

import {
  BreakableName,
  Day,
  Form,
  type Html,
  Icon,
  isolate,
  Section,
  Table,
  truncate,
} from "../../kit/components/mod.ts";
import { counted, numberText, uncapitalized } from "../../../base/amounts.ts";
import { type Certificate, lifeInDays, lostNames } from "../../../domain/certificates/mod.ts";
import { REPLACEMENT_REASONS } from "../../../domain/certificates/mod.ts";
import { type OpenIncident, openIncidents } from "../../../domain/incidents/mod.ts";
import type { RenewalCandidate } from "../../../domain/certificates/renewal/renewal_candidates.ts";
import type { renewCertificate } from "../../../domain/certificates/renewal/renew.ts";
import type { Call } from "../../call.ts";
import { textOf } from "../../forms.ts";
import { labelOf } from "../../messages.ts";
import { lostNote, ReasonSelect, type WarningNote, warningNotes } from "../imports/mod.ts";
import { issuerName, ObjectLinks, PostButton } from "../../kit/mod.ts";
import { page } from "../../shell/mod.ts";
import { loadAssignments } from "../../../domain/advice/mod.ts";
import { keyText } from "./columns.tsx";
import { allNames } from "../../../x509/mod.ts";

type Named = Parameters<typeof namesOf>[0];
type Candidate = RenewalCandidate & Pick<Certificate, "tenant">;

export function Candidates(
  { call, rows, path, object }: { call: Call; rows: readonly Candidate[]; path: string; object: Candidate },
): Html {
  return (
    <Table
      caption="Possible successors"
      rows={rows}
      columns={[
        {
          label: "Common name",
          cell: (row) => (
            <>
              <a href={`/certificates/${row.id}/`}>
                <bdi>
                  <BreakableName text={truncate(row.common_name)} />
                </bdi>
              </a>
              <br />
              <small class="faint">
                <bdi>{comparedNames(object, row)}</bdi>
              </small>
            </>
          ),
        },
        { label: "Issuer", cell: (row) => issuerName(row.issuer), layout: ["p2"] },
        {
          label: "Serial number",
          cell: (row) => <code>{truncate(row.serial_number, 24)}</code>,
          layout: ["p2"],
        },
        { label: "Valid to", cell: (row) => <Day at={row.valid_to} /> },
        {
          label: "Actions",
          layout: ["hidden-label"],
          cell: (row) =>
            row.tenant === null && object.tenant !== null
              ? <a href={`/certificates/${row.id}/edit/#f-tenant`}>Set tenant first</a>
              : (
                <PostButton
                  call={call}
                  action={path}
                  hidden={{ certificate: row.id }}
                  label="Compare"
                  class="secondary small"
                />
              ),
        },
      ]}
    />
  );
}

/** Returns the common name and the alternative names. */
export function namesOf(
  { common_name: name, sans = [] }: Partial<Pick<Certificate, "common_name" | "sans">>,
): string[] {
  return allNames(String(name), [...sans]);
}

/** Returns how the names of a possible successor differ from those of the certificate. */
function comparedNames(object: Named, candidate: Named): string {
  const [old, other] = [namesOf(object), namesOf(candidate)];
  const lost = lostNames(old, other);
  if (lost.length > 0) return `Does not cover ${truncate(lost.join(", "), LOST_CHARS)}`;
  return lostNames(other, old).length > 0 ? "Also covers other names" : "Same names";
}

/** Maximum length of the names that a possible successor does not cover. */
const LOST_CHARS = 80;

type Renewal = Awaited<ReturnType<typeof renewCertificate>>;

/** The reasons of a renewal that incidents demand. */
const REASONS: Partial<Record<OpenIncident["kind"], typeof REPLACEMENT_REASONS[number]>> = {
  ca_revocation: "ca_incident",
  distrust: "ca_incident",
  key_compromise: "key_compromise",
};

/** Renders changes, warnings and remaining steps. */
export async function renewalPreview(call: Call, id: number, renewal: Renewal): Promise<Response> {
  const back = `/certificates/${id}/`;
  const [places, incidents] = await Promise.all([
    loadAssignments(call.ctx, id),
    openIncidents(call.ctx, [id]),
  ]);
  const reason = incidents.get(id)?.find(({ state }) => state === "open")?.kind;
  const lost = lostNote(lostNames(namesOf(renewal.old), namesOf(renewal.new)));
  const moved = renewal.assignments_moved;
  const objects = (places ?? []).flatMap(({ assigned_object: object }) => object ?? []);
  const noteOf = ({ tone, text }: WarningNote): Html => (
    <p class={`flash ${tone}`}>
      <Icon name={tone === "warn" ? "warning" : "info"} />
      <bdi>{text}</bdi>
    </p>
  );
  return page(
    call,
    {
      title: `Confirm renewal of ${isolate(truncate(String(renewal.old.common_name)))}`,
      above: [["Certificates", "/certificates/"], [String(renewal.old.common_name), back], [
        "Renew",
        `${back}renew/`,
      ]],
    },
    <>
      {lost === undefined ? null : noteOf(lost)}
      {warningNotes(renewal.warnings).map(noteOf)}
      <Comparison renewal={renewal} />
      <p>
        {moved === 0
          ? "It has no assignments to move."
          : `${counted(moved, "assignment")} will move to the new certificate.`}{" "}
        The current certificate will be marked as replaced
        {renewal.requests_issued === 0 ? "" : ", and its signing request as issued"}.
      </p>
      {/* Where the new certificate has to be deployed, as far as the user may view it. */}
      {objects.length === 0 ? null : (
        <p>
          Then serve it: not yet seen at <ObjectLinks briefs={objects} />.
        </p>
      )}
      <Form call={call} action={`${back}renew/`}>
        {/* Hidden fields keep line breaks (HTML §4.10.5.1.1). */}
        {["certificate", "pem_content", "private_key_location"].map((name) =>
          call.form.has(name) ? <input type="hidden" name={name} value={textOf(call.form, name)} /> : null
        )}
        <ReasonSelect value={textOf(call.form, "reason") || (reason && REASONS[reason]) || ""} />
        <div class="form-actions">
          <button type="submit" name="confirmed" value="yes">
            <Icon name="renew" />
            {moved === 0 ? "Renew" : `Renew and move ${counted(moved, "assignment")}`}
          </button>
          <a href={`${back}renew/`}>Choose another certificate</a>
        </div>
      </Form>
    </>,
  );
}

type Side = Partial<Omit<Certificate, "id" | "url">>;

/** The compared fields and their texts. */
const LINES: readonly (readonly [label: string, text: (row: Side) => string])[] = [
  ...(["valid_to", "valid_from"] as const).map((name) =>
    [labelOf(name), (row: Side) => String(row[name]).slice(0, 10)] as const
  ),
  ["Valid for", (row) => `${numberText(lifeInDays(row))} days`],
  ["Key type", keyText],
  [labelOf("sans"), ({ sans = [] }) => sans.toSorted().join(", ")],
  [labelOf("tenant"), ({ tenant }) => tenant?.display ?? ""],
  [labelOf("owner"), ({ owner }) => owner?.contact.display ?? ""],
  [labelOf("tags"), ({ tags = [] }) => tags.map(({ display }) => display).join(", ")],
  ...([
    "common_name",
    "issuer",
    "serial_number",
    "private_key_location",
    "description",
    "renewal_note",
  ] as const)
    .map((name) => [labelOf(name), (row: Side) => String(row[name])] as const),
];
/** Maximum length of a value. */
const VALUE_CHARS = 400;

/** Renders the fields that change, and the names of the equal ones. */
function Comparison({ renewal }: { renewal: Renewal }): Html {
  const lines = LINES.map(([id, text]) => ({ id, before: text(renewal.old), after: text(renewal.new) }));
  const equal = lines.filter(({ before, after }) => before === after && before !== "");
  const shown = (text: string): Html => <bdi>{text === "" ? "–" : truncate(text, VALUE_CHARS)}</bdi>;
  return (
    <Section id="differences" title="What changes">
      <Table
        caption="What changes"
        rows={lines.filter(({ before, after }) => before !== after)}
        stacked
        columns={[
          { label: "Field", cell: ({ id }) => id },
          { label: "Current certificate", cell: ({ before }) => shown(before) },
          { label: "New certificate", cell: ({ after }) => shown(after) },
        ]}
      />
      <p class="faint">
        Unchanged: {equal.map(({ id }, index) => index === 0 ? id : uncapitalized(id)).join(", ")}
      </p>
    </Section>
  );
}

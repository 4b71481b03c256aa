/** The list, the form and the page of incidents. */

import { counted, numberText, percentText } from "../../../base/amounts.ts";
import {
  type Counts,
  Criteria,
  type Impact,
  type Incident,
  incidents,
  KINDS,
  previewIncident,
} from "../../../domain/incidents/mod.ts";
import { AppError } from "../../../base/errors.ts";
import { certificates } from "../../../domain/certificates/mod.ts";
import type { Out } from "../../../resource/mod.ts";
import { isDictionary } from "../../../filters/mod.ts";
import type { Call } from "../../call.ts";
import { fieldErrorsOf, labelOf } from "../../messages.ts";
import { type Content, Copyable, CountLink, type Html, Table, truncate } from "../../kit/components/mod.ts";
import {
  defineView,
  type Fact,
  type FormPreview,
  type FormState,
  ObjectLink,
  PostButton,
  readRows,
} from "../../kit/mod.ts";
import { objectPath } from "../../paths.ts";
import { allCertificatesPath, TellButton } from "../certificates/mod.ts";
import { certificateParts } from "./members.tsx";
import { Summary, toneOf } from "./summary.tsx";

const KIND_TEXTS: Readonly<Record<(typeof KINDS)[number], readonly [name: string, about: string]>> = {
  ca_revocation: ["Revocation by a CA", "An authority will revoke certificates that it issued wrongly."],
  key_compromise: ["Compromised keys", "Private keys are known to others, or too weak."],
  distrust: ["Distrusted authority", "Browsers or systems will no longer trust an authority."],
  deadline: ["Deadline of a rule", "From a date on, certificates like these are not accepted any more."],
  other: ["Other", "Anything else because of which certificates have to be replaced."],
};

export const incidentView = defineView<Incident>({
  resource: incidents,
  columns: [
    "kind",
    "status",
    "deadline",
    {
      name: "left",
      label: "Open",
      needs: ["counts"],
      cell: ({ id, counts }) => (
        <CountLink
          number={counts.open}
          tone={toneOf(counts)}
          path={allCertificatesPath({ incident_open: id })}
        />
      ),
      layout: ["number"],
    },
    {
      name: "done",
      label: "Deployed",
      needs: ["counts"],
      cell: ({ counts }) => doneText(counts),
      layout: ["p3"],
    },
    "created",
  ],
  usual: ["kind", "status", "deadline", "left", "done"],
  filters: ["kind", "status"],
  tabs: { parts: [["Open", { status: "open" }], ["Closed", { status: "closed" }]], first: true },
  form: {
    fields: ["name", "kind", "deadline", "source_url", "description", "status", "criteria"],
  },
  parts: {
    field: "criteria",
    by: "kind",
    choices: () => KINDS.map((kind) => [kind, ...KIND_TEXTS[kind]] as const),
    schemaOf: () => Criteria,
  },
  fields: {
    kind: { text: (kind) => KIND_TEXTS[KINDS.find((one) => one === kind) ?? "other"][0] },
    "criteria.serial_numbers": { file: true },
  },
  create: (call) => ({
    preview: { label: "Show impact", show: (state) => showImpact(call, state) },
    inputOf: ({ criteria, ...input }) =>
      Promise.resolve({ ...input, criteria: isDictionary(criteria) ? asTable(criteria) : criteria }),
  }),
  detail: (call, incident, permitted) => ({
    actions: (
      <>
        <a role="button" class="secondary" href={`${objectPath(incidents, incident.id)}report/`}>Report</a>
        {incident.counts.open === 0
          ? null
          : <TellButton call={call} all="true" back={allCertificatesPath({ incident_open: incident.id })} />}
        {!permitted.change ? null : (
          <PostButton
            call={call}
            action={`${objectPath(incidents, incident.id)}status/`}
            label={incident.status === "open" ? "Close" : "Open again"}
            class="secondary"
            hidden={{ status: incident.status === "open" ? "closed" : "open" }}
          />
        )}
      </>
    ),
    lead: leadOf(call, incident, permitted.change),
    facts: criteriaFacts(incident.criteria),
    without: ["counts", "status", "deadline", "closed_at", "criteria"],
  }),
  empty:
    "No incidents. When an authority has to revoke certificates or a key is compromised, an incident shows which of yours are affected, whose they are, and which are replaced.",
});

function doneText({ deployed, affected, excluded }: Counts): string {
  const all = affected - excluded;
  return all === 0 ? "–" : `${numberText(deployed)} of ${numberText(all)} (${percentText(deployed / all)})`;
}

/** Renders the clock, the numbers and the certificates. */
async function leadOf(call: Call, incident: Incident, mayChange: boolean): Promise<Content> {
  const { certificates: table, chart } = await certificateParts(call, incident, mayChange);
  return (
    <>
      <Summary call={call} incident={incident} />
      {chart}
      {table}
    </>
  );
}

/** Number of entries of a list that the page names. */
const NAMED = 3;

function criteriaFacts(criteria: Criteria): Fact[] {
  return Object.entries(criteria).flatMap(([name, given]): Fact[] => {
    if (given === undefined || given.length === 0) return [];
    if (name === "filter") {
      return [[labelOf(name), <a href={`/certificates/?${given}`}>{truncate(String(given))}</a>]];
    }
    const all = [given].flat();
    const others = all.length > NAMED ? ` and ${numberText(all.length - NAMED)} more` : "";
    return [[labelOf(name), truncate(all.slice(0, NAMED).join("; ")) + others]];
  });
}

/** Returns criteria with the lines of serial numbers as one text, which can be the table of an authority. */
function asTable<Of extends { readonly serial_numbers?: unknown }>(criteria: Of): Of {
  const { serial_numbers: given } = criteria;
  return Array.isArray(given) ? { ...criteria, serial_numbers: given.join("\n") } : criteria;
}

/** Returns what the criteria of a form select. */
async function showImpact(call: Call, state: FormState): Promise<FormPreview> {
  const criteria = asTable(Object.fromEntries(
    Object.entries(state).flatMap(([name, value]) => {
      const [field, member = ""] = name.split(".");
      const given = [value].flat().flatMap((one) => one.split("\n")).filter((one) => one.trim() !== "");
      if (field !== "criteria" || given.length === 0) return [];
      return [[member, member === "filter" || member.startsWith("valid_from") ? given[0] : given]];
    }),
  ));
  try {
    const impact = await previewIncident({ ctx: call.ctx, input: { criteria } });
    const similar = impact.affected > 0
      ? []
      : await issuersLike(call, [criteria.issuers ?? []].flat().map(String));
    return {
      content: (
        <>
          <ImpactTables impact={impact} />
          {similar.length === 0 ? null : (
            <section class="box" aria-labelledby="similar">
              <h2 id="similar">The name of an issuer must be complete. Similar ones are:</h2>
              <ul>
                {similar.map((issuer) => (
                  <li>
                    <Copyable text={issuer} label="Copy" oneLine />
                  </li>
                ))}
              </ul>
            </section>
          )}
        </>
      ),
      errors: {},
    };
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== "invalid") throw error;
    return { content: null, errors: fieldErrorsOf(error) };
  }
}

/** Maximum number of similar issuers, and of certificates that are read to find them. */
const [MAX_SIMILAR, MAX_READ] = [5, 200] as const;
/** Maximum length of a text that may be part of an issuer's name; filters accept no long ones. */
const MAX_PART_CHARS = 200;

/** Returns issuers of certificates that contain one of the first short texts. A statement for each of these. */
async function issuersLike({ ctx }: Call, texts: readonly string[]): Promise<string[]> {
  const rows = await Promise.all(
    texts.filter(({ length }) => length <= MAX_PART_CHARS).slice(0, NAMED).map((text) =>
      readRows(ctx, certificates, { fields: ["issuer"], params: { issuer__ic: text, limit: MAX_READ } })
    ),
  );
  return [...new Set(rows.flatMap((one) => one.rows.map(({ issuer }) => issuer)))].sort().slice(
    0,
    MAX_SIMILAR,
  );
}

function ImpactTables({ impact }: { impact: Impact }): Html {
  const table = <Row extends { readonly id?: unknown; readonly affected: number }>(
    label: string,
    rows: readonly Row[],
    name: (row: Row) => Content,
  ): Html => (
    <Table
      caption={`By ${label.toLowerCase()}`}
      dense
      rows={rows}
      columns={[
        { label, cell: name },
        { label: "Certificates", cell: ({ affected }) => numberText(affected), layout: ["number"] },
      ]}
    />
  );
  const linked = (brief: Out | null): Content =>
    brief === null ? <span class="faint">none that you may view</span> : <ObjectLink brief={brief} />;
  return (
    <section class="box" aria-labelledby="impact">
      <h2 id="impact" tabindex={-1} autofocus>
        {counted(impact.affected, "certificate is", "certificates are")} affected
      </h2>
      <div class="columns even">
        {table("Tenant", impact.by_tenant, ({ tenant }) => linked(tenant))}
        {table("Owner", impact.by_owner, ({ owner }) => linked(owner))}
        {table("Issuer", impact.by_issuer, ({ issuer }) => issuer ?? "others")}
        {table("Site", impact.by_site, ({ site }) => linked(site))}
      </div>
    </section>
  );
}

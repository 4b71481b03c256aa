/** The certificates of an incident: what was left day by day, a table by state, exclusions, the end report. */

import { numberText } from "../../../base/amounts.ts";
import { parseDatetime } from "../../../base/clock.ts";
import { certificates, MEMBER_STATES } from "../../../domain/certificates/mod.ts";
import {
  burnDown,
  excludeMembers,
  type Incident,
  incidentReport,
  incidents,
  includeMembers,
  type Left,
  listMembers,
  type MemberPage,
} from "../../../domain/incidents/mod.ts";
import { updateObject } from "../../../resource/mod.ts";
import { isGranted } from "../../../auth/mod.ts";
import { type Call, idOf } from "../../call.ts";
import { idsOf, offsetOf, textOf } from "../../forms.ts";
import {
  Badge,
  type Column,
  type Content,
  Day,
  EmptyState,
  Form,
  type Html,
  Icon,
  Pager,
  Section,
  Table,
  TextField,
  type Tone,
} from "../../kit/components/mod.ts";
import { ObjectLink } from "../../kit/mod.ts";
import { listPath, objectPath } from "../../paths.ts";
import { attempt, done } from "../../responses.ts";
import { page } from "../../shell/mod.ts";
import { download } from "../../../base/download.ts";
import { Chart, type Span } from "../dashboard/charts.tsx";
import { allCertificatesPath, NameLink } from "../certificates/mod.ts";
import { Summary } from "./summary.tsx";

/** Numbers of certificates on the page of an incident, and of its report. */
const [SHOWN, REPORTED] = [50, 500];
/** Number of days that the chart names. */
const LABELS = 6;
const FIELDS =
  "id,common_name,serial_number,tenant,owner,replaced_by,valid_to,state,reason,told_at,replaced_at,deployed_at";

type Row = MemberPage["results"][number];

const TONES: Readonly<Record<typeof MEMBER_STATES[number], Tone>> = {
  open: "warn",
  replaced: "info",
  deployed: "good",
  excluded: "off",
};

const COLUMNS: readonly Column<Row>[] = [
  {
    label: "Certificate",
    cell: ({ id = 0, common_name = "" }) => <NameLink row={{ id, common_name }} />,
  },
  { label: "State", cell: ({ state = "open" }) => <Badge value={state} tone={TONES[state]} /> },
  {
    label: "Tenant",
    cell: ({ tenant }) => tenant ? <ObjectLink brief={tenant} /> : "",
    layout: ["p3", "share"],
  },
  {
    label: "Owner",
    cell: ({ owner }) => owner ? <ObjectLink brief={owner.contact} /> : "",
    layout: ["p3", "share"],
  },
  {
    label: "Successor",
    cell: ({ replaced_by: successor }) => successor ? <ObjectLink brief={successor} /> : "",
    layout: ["p2", "share"],
  },
  { label: "Expires", cell: ({ valid_to: at }) => at ? <Day at={at} /> : "", layout: ["p4"] },
  { label: "Owner notified", cell: ({ told_at: at }) => at ? <Day at={at} /> : "", layout: ["p2"] },
  { label: "Replaced", cell: ({ replaced_at: at }) => at ? <Day at={at} /> : "", layout: ["p3"] },
  { label: "Deployed", cell: ({ deployed_at: at }) => at ? <Day at={at} /> : "", layout: ["p3"] },
  { label: "Reason", cell: ({ reason = "" }) => reason, layout: ["p4", "share"] },
];

function read(
  call: Call,
  id: number,
  { limit, offset = 0, state }: { limit: number; offset?: number; state?: string | undefined },
): Promise<MemberPage> {
  const most = Math.min(limit, call.ctx.settings.maxPageSize);
  const page = { fields: FIELDS, ordering: "valid_to", limit: `${most}`, offset: `${offset}` };
  const params = new URLSearchParams(page);
  if (state !== undefined) params.set("state", state);
  return listMembers({ ctx: call.ctx, id, params });
}

/** Renders the chart and the table of the page of an incident. */
export async function certificateParts(
  call: Call,
  incident: Incident,
  mayChange: boolean,
): Promise<{ chart: Content; certificates: Content }> {
  const { id, created, closed_at } = incident;
  if (!isGranted(call.ctx, "view", certificates.objectType)) return { chart: null, certificates: null };
  const asked = call.url.searchParams.get("state");
  const state = MEMBER_STATES.find((one) => one === asked);
  const offset = offsetOf(call.query.get("offset"));
  const [left, members] = await Promise.all([
    burnDown(call.ctx, {
      id,
      began: parseDatetime(created) ?? 0,
      ended: closed_at === null ? null : parseDatetime(closed_at) ?? null,
    }),
    read(call, id, { limit: SHOWN, offset, state }),
  ]);
  const action = (name: string): string => `${objectPath(incidents, id)}${name}/`;
  const form = "members";
  return {
    chart: left.length < 2 ? null : (
      <Section id="left" title="Left" class="card">
        <LeftChart id={id} left={left} />
      </Section>
    ),
    certificates: (
      <Section id="certificates" title="Certificates" count={members.count ?? 0}>
        <ul class="related" aria-label="States">
          <li>
            <a href={`${objectPath(incidents, id)}#certificates`}>All</a>
          </li>
          {MEMBER_STATES.map((one) => (
            <li>
              <a href={`?state=${one}#certificates`} aria-current={one === state ? "true" : undefined}>
                {one[0]?.toUpperCase()}
                {one.slice(1)}
              </a>
              <span class="count">{` ${numberText(incident.counts[one])}`}</span>
            </li>
          ))}
        </ul>
        <Table
          caption="Certificates"
          dense
          rows={members.results}
          columns={COLUMNS}
          select={mayChange ? { form, label: ({ common_name = "" }) => common_name } : undefined}
        />
        {members.results.length > 0 || offset > 0
          ? null
          : <EmptyState text="No certificates in this state." />}
        {offset === 0 && (members.count ?? 0) <= SHOWN
          ? null
          : <Pager url={call.url} count={members.count ?? 0} limit={SHOWN} offset={offset} />}
        <p class="actions">
          <a href={allCertificatesPath({ [state === undefined ? "incident" : `incident_${state}`]: id })}>
            View all certificates
          </a>{" "}
          <a href={`${allCertificatesPath({ incident_open: id })}&group_by=owner`}>Open by owner</a>
        </p>
        {!mayChange || members.results.length === 0
          ? null
          : (
            <Form call={call} action={action("exclude")} id={form} class="box">
              <TextField name="reason" label="Reason of an exclusion" />
              <div class="form-actions">
                <button type="submit" class="secondary">Exclude selected</button>
                <button type="submit" class="secondary" formaction={action("include")}>
                  Include selected
                </button>
              </div>
            </Form>
          )}
      </Section>
    ),
  };
}

/** Renders what was left day by day. */
function LeftChart({ id, left }: { id: number; left: readonly Left[] }): Html {
  // Dates are wide: a few are named.
  const every = Math.ceil(left.length / LABELS);
  const spans = left.map(({ from, open, replaced }, index): Span => ({
    label: from,
    short: index % every === 0 ? from.slice(5) : "",
    path: allCertificatesPath({ incident: id }),
    count: open + replaced,
    parts: [open, replaced],
  }));
  const last = left.at(-1);
  return (
    <Chart
      spans={spans}
      unit="Day"
      title="Certificates that were left"
      parts={[
        { label: "Open", count: last?.open ?? 0, path: allCertificatesPath({ incident_open: id }) },
        {
          label: "Replaced, not deployed",
          count: last?.replaced ?? 0,
          path: allCertificatesPath({ incident_replaced: id }),
        },
      ]}
    />
  );
}

/** Excludes or includes the selected certificates: `POST /incidents/{id}/exclude/`. */
export function changeMembers(how: "exclude" | "include"): (call: Call) => Promise<Response> {
  return (call) => {
    const id = idOf(call);
    const back = objectPath(incidents, id);
    return attempt({ call, back, codes: ["invalid"] }, async () => {
      const ids = idsOf(call.form, "ids");
      const { changed } = how === "exclude"
        ? await excludeMembers({ ctx: call.ctx, id, input: { ids, reason: textOf(call.form, "reason") } })
        : await includeMembers({ ctx: call.ctx, id, input: { ids } });
      return done(call, back, `${numberText(changed)} ${how}d.`);
    });
  };
}

/** Closes an incident or opens it again: `POST /incidents/{id}/status/`. */
export function changeStatus(call: Call): Promise<Response> {
  const id = idOf(call);
  const back = objectPath(incidents, id);
  return attempt({ call, back, codes: ["invalid"] }, async () => {
    const input = { status: textOf(call.form, "status") };
    await updateObject({ ctx: call.ctx, resource: incidents, id, input, mode: "patch" });
    return done(call, back, input.status === "closed" ? "Closed." : "Opened again.");
  });
}

/** Renders the end report: `GET /incidents/{id}/report/`. */
export async function reportPage(call: Call): Promise<Response> {
  const id = idOf(call);
  const { incident, results } = await read(call, id, { limit: REPORTED });
  const file = (format: string): string => `${objectPath(incidents, id)}report/download/?format=${format}`;
  return page(
    call,
    {
      // Short, so that the button that a script shows does not move the page.
      title: "Report",
      above: [["Incidents", listPath(incidents)], [incident.name, objectPath(incidents, id)]],
      actions: (
        <>
          <button type="button" class="secondary" data-print hidden>Print</button>
          {["csv", "json"].map((format) => (
            <a role="button" class="secondary" href={file(format)}>
              <Icon name="download" />
              {format.toUpperCase()}
            </a>
          ))}
        </>
      ),
    },
    <>
      <h2>{incident.name}</h2>
      <Summary call={call} incident={incident} />
      <Table caption="Certificates" dense rows={results} columns={COLUMNS} />
    </>,
  );
}

/** Sends the report as a file: `GET /incidents/{id}/report/download/?format=csv`. */
export async function downloadReport(call: Call): Promise<Response> {
  const format = call.query.get("format") === "json" ? "json" : "csv";
  const params = new URLSearchParams({ format });
  return await download(call.ctx, await incidentReport({ ctx: call.ctx, id: idOf(call), params }));
}

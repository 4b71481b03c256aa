/** The page of one certificate. */

import { certificates } from "../../../../domain/certificates/mod.ts";
import {
  certificateAdvice,
  type CertificateFacts,
  isBeforeStart,
  isReplacedInUse,
  isRevokedInUse,
  loadCertificateFacts,
  MAX_FACTS,
} from "../../../../domain/advice/mod.ts";
import { ALL_FIELDS, getObject } from "../../../../resource/mod.ts";
import { type Call, idOf } from "../../../call.ts";
import { Badge, Choice, type Html, Icon, ListSection } from "../../../kit/components/mod.ts";
import {
  CustomSections,
  historySection,
  may,
  MoreMenu,
  NoteSections,
  ObjectActions,
  ObjectLink,
  type PermittedActions,
  permittedAmong,
  PostButton,
} from "../../../kit/mod.ts";
import { noticeSection } from "../../notices/mod.ts";
import { page } from "../../../shell/mod.ts";
import { AllFields, loadDescription } from "./all_fields.tsx";
import { ChainSection } from "./chain.tsx";
import { CheckList } from "./check_list.tsx";
import { CertificateProperties, Identity } from "./properties.tsx";
import { loadEvidence, RenewalWindow, RevocationSection } from "./revocation.tsx";
import { TellButton } from "../tell_owners.tsx";
import { ServedBy } from "./served_by.tsx";
import { type MainAction, mainAction, Summary } from "./summary.tsx";
import { type Assignment, assignments } from "../../../../domain/assignments/mod.ts";
import { objectPath } from "../../../paths.ts";
import { typeLabel } from "../../../type_label.ts";

/** Renders properties, chain, assignments, compliance and history. */
export async function certificatePage(call: Call): Promise<Response> {
  const id = idOf(call);
  const { object: certificate } = await getObject({
    ctx: call.ctx,
    resource: certificates,
    id,
    selection: ALL_FIELDS,
  });
  const [facts, contents, removable, reminders, evidence, history] = await Promise.all([
    loadCertificateFacts(call.ctx, certificate),
    loadDescription(call, certificate),
    permittedAmong(call, certificates, { action: "delete", ids: [id] }),
    noticeSection(call, certificate),
    loadEvidence(call, id),
    historySection(call, certificates, id),
  ]);
  const { assignments, checks, chain, served } = facts;
  const advice = certificateAdvice(facts);
  const permitted = { change: facts.may.change, delete: removable.has(id) };
  return page(
    call,
    {
      title: certificate.common_name,
      above: [["Certificates", "/certificates/"]],
      actions: <Actions call={call} facts={facts} advice={advice} permitted={permitted} />,
    },
    <>
      <Summary facts={facts} advice={advice} />
      {reminders}
      <div class="with-facts">
        <aside aria-label="Facts">
          <CertificateProperties
            call={call}
            certificate={certificate}
            inUse={isRevokedInUse(facts) || isReplacedInUse(facts)}
          />
        </aside>
        <div>
          <SectionLinks facts={facts} hasHistory={history !== null} />
          <CustomSections call={call} resource={certificates} object={certificate} />
          <NoteSections resource={certificates} object={certificate} />
          {served === undefined ? null : <ServedBy id={id} served={served} />}
          <div class="columns with-checks">
            {assignments === undefined ? null : <AssignmentList call={call} id={id} rows={assignments} />}
            {checks === undefined ? null : <CheckList call={call} known={facts} rows={checks} />}
          </div>
          <Identity row={certificate} />
          <ChainSection call={call} certificate={certificate} chain={chain} permitted={permitted} />
          <RenewalWindow certificate={certificate} now={call.ctx.clock.now()} />
          <RevocationSection
            call={call}
            certificate={certificate}
            evidence={evidence}
            permitted={permitted}
          />
          <AllFields certificate={certificate} contents={contents} />
          {history}
        </div>
      </div>
    </>,
  );
}

/** Renders links to the sections, which all are on the page, so that it can be searched and printed as a whole. */
function SectionLinks(
  { facts: { assignments, checks }, hasHistory }: { facts: CertificateFacts; hasHistory: boolean },
): Html {
  const sections = [
    ...(assignments === undefined ? [] : [["assignments", "Where"]] as const),
    ...(checks === undefined ? [] : [["checks", "Compliance"]] as const),
    ["identity", "Identity"],
    ["chain", "Chain"],
    ["revocation", "Revocation"],
    ...(hasHistory ? [["history", "History"]] as const : []),
  ] as const;
  const choices = sections.map(([name, label]) => ({ name, label, path: `#${name}` }));
  return <Choice label="Sections" choices={choices} chosen="" />;
}

/**
 * Renders the actions; the next step is the main one. A certificate that is not valid yet is not renewed, but can
 * replace the current one.
 */
function Actions(
  { call, facts, advice, permitted }: Parameters<typeof Summary>[0] & {
    call: Call;
    permitted: PermittedActions;
  },
): Html {
  const { certificate, chain, may } = facts;
  const path = `/certificates/${certificate.id}/`;
  const renewable = certificate.status !== "replaced" && certificate.replaced_by === null;
  const isPending = isBeforeStart(facts);
  const renew = renewable && may.renew ? `${path}renew/` : undefined;
  const main = mainAction({ facts, advice }, isPending ? undefined : renew);
  const links = [
    ...(isPending && renew !== undefined ? [[renew, "Renew"] as const] : []),
    ...(chain === undefined
      ? []
      : FILES.map(([query, label]) => [`${path}export/?${query}`, label] as const)),
  ];
  return (
    <>
      {main === undefined ? null : <ActionLink {...main} />}
      {advice.some(({ code }) => code === "not_accepted")
        ? (
          <PostButton
            call={call}
            action={`${path}accept/`}
            label="Accept"
            {...main === undefined ? {} : { class: "secondary" }}
          />
        )
        : null}
      {isPending || renew === undefined || renew === main?.path
        ? null
        : <ActionLink path={renew} label="Renew" isSecondary />}
      {permitted.change && certificate.owner !== null && certificate.replaced_by === null
        ? <TellButton call={call} ids={[certificate.id]} back={path} />
        : null}
      <ObjectActions path={path} permitted={{ ...permitted, delete: false }} />
      {links.length === 0 && !permitted.delete ? null : (
        <MoreMenu
          links={links}
          dangerous={permitted.delete ? [`${path}delete/`, "Delete…"] : undefined}
        />
      )}
    </>
  );
}

function ActionLink({ path, label, isSecondary = false }: MainAction & { isSecondary?: boolean }): Html {
  return (
    <a role="button" {...(isSecondary ? { class: "secondary" } : {})} href={path}>
      {path.endsWith("/renew/") ? <Icon name="renew" /> : null}
      {label}
    </a>
  );
}

/** Files of the certificate: parameters of the API, and labels. */
const FILES = [
  ["format=pem", "Download PEM with its chain"],
  ["format=pem&include_chain=false", "Download PEM, the certificate alone"],
  ["format=json", "Download fields as JSON"],
] as const;

/** Renders the assignments, and the button for a new one. */
function AssignmentList(
  { call, id, rows }: { call: Call; id: number; rows: readonly Assignment[] },
): Html {
  return (
    <ListSection
      id="assignments"
      title="Assignments"
      rows={rows}
      empty="Not assigned to any device, virtual machine or service."
      all={rows.length < MAX_FACTS ? undefined : `/assignments/?certificate_id=${id}`}
      columns={[
        {
          label: "Object",
          cell: (row) => (
            <>
              {row.assigned_object === null
                ? "not visible to you"
                : <ObjectLink brief={row.assigned_object} />}
              {row.is_primary
                ? (
                  <>
                    {" "}
                    <Badge value="main" tone="info" />
                  </>
                )
                : null}
            </>
          ),
        },
        { label: "Type", cell: ({ assigned_object_type: type }) => typeLabel(type) },
        {
          label: "Assignment",
          cell: (row) => <a href={objectPath(assignments, row.id)}>Details</a>,
        },
      ]}
    >
      {may(call, assignments, "add")
        ? (
          <a role="button" class="secondary" href={`/assignments/new/?certificate=${id}`}>
            <Icon name="plus" />Assign
          </a>
        )
        : null}
    </ListSection>
  );
}

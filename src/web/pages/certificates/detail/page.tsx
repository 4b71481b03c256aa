/** The page of one certificate. */

import { certificates } from "../../../../domain/certificates/mod.ts";
import {
  certificateAdvice,
  isBeforeStart,
  isReplacedInUse,
  isRevokedInUse,
  loadCertificateFacts,
} from "../../../../domain/advice/mod.ts";
import { ALL_FIELDS, getObject } from "../../../../resource/mod.ts";
import { type Call, idOf } from "../../../call.ts";
import { type Html, Icon } from "../../../kit/components/mod.ts";
import {
  CustomSections,
  historySection,
  NoteSections,
  ObjectActions,
  type PermittedActions,
  permittedAmong,
} from "../../../kit/mod.ts";
import { noticeSection } from "../../notices/mod.ts";
import { page } from "../../../shell/mod.ts";
import { AllFields, loadDescription } from "./all_fields.tsx";
import { AssignmentList } from "./assignment_list.tsx";
import { ChainSection } from "./chain.tsx";
import { CheckList } from "./check_list.tsx";
import { CertificateProperties, Identity } from "./properties.tsx";
import { ServedBy } from "./served_by.tsx";
import { type MainAction, mainAction, Summary } from "./summary.tsx";

/** Renders properties, chain, assignments, compliance and history. */
export async function certificatePage(call: Call): Promise<Response> {
  const id = idOf(call);
  const { object: certificate } = await getObject({
    ctx: call.ctx,
    resource: certificates,
    id,
    selection: ALL_FIELDS,
  });
  const [facts, contents, removable, reminders] = await Promise.all([
    loadCertificateFacts(call.ctx, certificate),
    loadDescription(call, certificate),
    permittedAmong(call, certificates, { action: "delete", ids: [id] }),
    noticeSection(call, certificate),
  ]);
  const { assignments, checks, chain, predecessors, served } = facts;
  const where = { history_of_certificate: String(id) };
  const history = await historySection(call, certificates, { id, predecessors, where });
  const advice = certificateAdvice(facts);
  const permitted = { change: facts.may.change, delete: removable.has(id) };
  const failed = checks?.filter(({ result }) => result !== "pass").length ?? 0;
  // Next to many results, the assignments leave space for the identity.
  const isNextToChecks = assignments !== undefined && failed - Math.max(1, assignments.length) >= 2;
  return page(
    call,
    {
      title: certificate.common_name,
      above: [["Certificates", "/certificates/"]],
      actions: <Actions facts={facts} advice={advice} permitted={permitted} />,
    },
    <>
      <Summary facts={facts} advice={advice} />
      {reminders}
      <CertificateProperties
        call={call}
        certificate={certificate}
        inUse={isRevokedInUse(facts) || isReplacedInUse(facts)}
      />
      <CustomSections call={call} resource={certificates} object={certificate} />
      <NoteSections resource={certificates} object={certificate} />
      {served === undefined ? null : <ServedBy id={id} served={served} />}
      <div class="columns with-checks">
        {assignments === undefined ? null : <AssignmentList call={call} id={id} rows={assignments} />}
        {checks === undefined ? null : <CheckList call={call} known={facts} rows={checks} />}
        {isNextToChecks ? <Identity row={certificate} /> : null}
      </div>
      {isNextToChecks ? null : <Identity row={certificate} />}
      <ChainSection call={call} certificate={certificate} chain={chain} permitted={permitted} />
      <AllFields certificate={certificate} contents={contents} />
      {history}
    </>,
  );
}

/**
 * Renders the actions; the next step is the main one. A certificate that is not valid yet is not renewed, but can
 * replace the current one.
 */
function Actions(
  { facts, advice, permitted }: Parameters<typeof Summary>[0] & { permitted: PermittedActions },
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
      {isPending || renew === undefined || renew === main?.path
        ? null
        : <ActionLink path={renew} label="Renew" isSecondary />}
      <ObjectActions path={path} permitted={{ ...permitted, delete: false }} />
      {links.length === 0 && !permitted.delete
        ? null
        : <More path={path} links={links} permitted={permitted} />}
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

/** Renders the menu of less frequent actions. */
function More(
  { path, links, permitted }: {
    path: string;
    links: readonly (readonly [path: string, label: string])[];
    permitted: PermittedActions;
  },
): Html {
  return (
    <details class="menu">
      <summary role="button" class="secondary">More</summary>
      <div>
        <ul>
          {links.map(([href, label]) => (
            <li>
              <a href={href}>{label}</a>
            </li>
          ))}
          {permitted.delete
            ? (
              <li>
                <a href={`${path}delete/`} class="dangerous">Delete…</a>
              </li>
            )
            : null}
        </ul>
      </div>
    </details>
  );
}

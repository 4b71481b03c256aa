/** The page of one certificate. */

import { certificates } from "../../../domain/certificates/mod.ts";
import { type ChainView, viewChain } from "../../../domain/certificates/chain/mod.ts";
import { ALL_FIELDS, getObject } from "../../../resource/mod.ts";
import { type Call, idOf } from "../../call.ts";
import { type Html, Icon } from "../../components/mod.ts";
import {
  type ApiObject,
  CustomSections,
  mayActOn,
  NoteSections,
  ObjectActions,
  type PermittedActions,
  permittedActionsOn,
} from "../../objects/mod.ts";
import { noticeSection } from "../../notices/mod.ts";
import { page } from "../../shell/mod.ts";
import { AssignmentList, loadAssignments } from "./assignment_list.tsx";
import { ChainSection } from "./chain.tsx";
import { CheckList, loadChecks, loadUnchecked } from "./check_list.tsx";
import { loadPast } from "./past.tsx";
import { isRevokedInUse, loadOpenRequest, loadRenewable, NextSteps } from "./next_steps.tsx";
import { CertificateProperties, Identity } from "./properties.tsx";
import { Summary } from "./summary.tsx";
import { isReplacedInUse, loadServed, ServedBy } from "./served_by.tsx";
import { AllFields, loadDescription } from "./all_fields.tsx";

/** Renders properties, chain, assignments, compliance and history. */
export async function certificatePage(call: Call): Promise<Response> {
  const id = idOf(call);
  const { object } = await getObject({ ctx: call.ctx, resource: certificates, id, selection: ALL_FIELDS });
  const certificate = object as ApiObject;
  const [
    chain,
    assignments,
    checks,
    { predecessors, history },
    contents,
    permitted,
    renew,
    reminders,
    served,
    request,
    renewable,
    unchecked,
  ] = await Promise.all([
    viewChain({ ctx: call.ctx, id }),
    loadAssignments(call, id),
    loadChecks(call, certificate),
    loadPast(call, id),
    loadDescription(call, certificate),
    permittedActionsOn(call, certificates, id),
    mayActOn(call, certificates, { action: "renew", id }),
    noticeSection(call, certificate),
    loadServed(call, id),
    loadOpenRequest(call, certificate),
    loadRenewable(call, certificate),
    loadUnchecked(call, certificate),
  ]);
  const known = {
    certificate,
    assignments,
    checks,
    hasPolicies: unchecked.some(({ applies }) => applies),
    chain,
    predecessors,
    served,
    request,
    renewable,
    mayRenew: renew && permitted.change,
    mayChange: permitted.change,
  };
  return page(
    call,
    {
      title: String(certificate.common_name),
      above: [["Certificates", "/certificates/"]],
      actions: <Actions certificate={certificate} chain={chain} permitted={{ ...permitted, renew }} />,
    },
    <>
      <Summary known={known}>
        <NextSteps call={call} known={known} />
      </Summary>
      {reminders}
      <CertificateProperties
        call={call}
        certificate={certificate}
        inUse={isRevokedInUse(known) || isReplacedInUse(known)}
      />
      <CustomSections call={call} resource={certificates} object={certificate} />
      <NoteSections resource={certificates} object={certificate} />
      <div class="columns">
        {assignments === undefined ? null : <AssignmentList call={call} id={id} rows={assignments} />}
        {checks === undefined
          ? null
          : <CheckList call={call} certificate={certificate} rows={checks} unchecked={unchecked} />}
      </div>
      {served === undefined ? null : <ServedBy id={id} served={served} />}
      <Identity row={certificate} />
      <ChainSection call={call} certificate={certificate} chain={chain} permitted={permitted} />
      <AllFields certificate={certificate} contents={contents} />
      {history}
    </>,
  );
}

function Actions(
  { certificate, chain, permitted }: {
    certificate: ApiObject;
    chain: ChainView | undefined;
    permitted: PermittedActions & { readonly renew: boolean };
  },
): Html {
  const path = `/certificates/${certificate.id}/`;
  const renewable = certificate.status !== "replaced" && certificate.replaced_by === null;
  const renew = renewable && permitted.renew && permitted.change;
  return (
    <>
      {renew
        ? (
          <a role="button" href={`${path}renew/`}>
            <Icon name="renew" />Renew
          </a>
        )
        : null}
      <ObjectActions path={path} permitted={{ ...permitted, delete: false }} />
      {chain === undefined && !permitted.delete
        ? null
        : <More path={path} files={chain !== undefined} permitted={permitted} />}
    </>
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
  { path, files, permitted }: { path: string; files: boolean; permitted: PermittedActions },
): Html {
  return (
    <details class="menu">
      <summary role="button" class="secondary">More</summary>
      <div>
        <ul>
          {files
            ? FILES.map(([query, label]) => (
              <li>
                <a href={`${path}export/?${query}`}>{label}</a>
              </li>
            ))
            : null}
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

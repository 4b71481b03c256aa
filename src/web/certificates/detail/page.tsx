/** The page of one certificate. */

import { mayDo } from "../../../auth/mod.ts";
import { certificates } from "../../../domain/certificates/mod.ts";
import { type ChainView, viewChain } from "../../../domain/certificates/chain/mod.ts";
import { policies } from "../../../domain/compliance/mod.ts";
import { getObject, WHOLE } from "../../../resource/mod.ts";
import { type Call, idOf } from "../../call.ts";
import { Form, type Html, Icon } from "../../kit/mod.ts";
import {
  historySection,
  mayOn,
  ObjectActions,
  type Permitted,
  permittedOn,
  type Shown,
} from "../../objects/mod.ts";
import { page } from "../../shell/mod.ts";
import { AssignmentList, loadAssignments } from "./assignments.tsx";
import { ChainSection } from "./chain.tsx";
import { CheckList, loadChecks } from "./checks.tsx";
import { CertificateFacts } from "./facts.tsx";
import { Contents, loadContents } from "./contents.tsx";

/** What is known of it, its chain, where it sits, how it does, what has happened to it. */
export async function certificatePage(call: Call): Promise<Response> {
  const id = idOf(call);
  const { object } = await getObject({ ctx: call.ctx, resource: certificates, id, selection: WHOLE });
  const certificate = object as Shown;
  const [chain, assignments, checks, contents, history, permitted, renew] = await Promise.all([
    viewChain({ ctx: call.ctx, id }),
    loadAssignments(call, id),
    loadChecks(call, id),
    loadContents(call, certificate),
    historySection(call, certificates, id),
    permittedOn(call, certificates, id),
    mayOn(call, certificates, { action: "renew", id }),
  ]);
  return page(
    call,
    {
      title: String(certificate.common_name),
      above: [["Certificates", "/certificates/"]],
      actions: (
        <Actions call={call} certificate={certificate} chain={chain} permitted={{ ...permitted, renew }} />
      ),
    },
    <>
      <CertificateFacts certificate={certificate} />
      <ChainSection call={call} certificate={certificate} chain={chain} permitted={permitted} />
      <div class="columns">
        {assignments === undefined ? null : <AssignmentList call={call} id={id} rows={assignments} />}
        {checks === undefined ? null : <CheckList id={id} rows={checks} />}
      </div>
      <Contents certificate={certificate} contents={contents} />
      {history}
    </>,
  );
}

function Actions(
  { call, certificate, chain, permitted }: {
    call: Call;
    certificate: Shown;
    chain: ChainView | undefined;
    permitted: Permitted & { readonly renew: boolean };
  },
): Html {
  const path = `/certificates/${certificate.id}/`;
  const renewable = ["active", "pending", "expired"].includes(String(certificate.status)) &&
    certificate.replaced_by === null;
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
      {chain === undefined ? null : (
        <a role="button" class="secondary" href={`${path}export/?format=pem`}>
          <Icon name="download" />PEM
        </a>
      )}
      {mayDo(call.ctx, "manage_compliance", policies.objectType)
        ? (
          <Form call={call} action={`${path}check/`} class="inline">
            <button type="submit" class="secondary">
              <Icon name="check" />Check compliance
            </button>
          </Form>
        )
        : null}
      <ObjectActions path={path} permitted={permitted} />
    </>
  );
}

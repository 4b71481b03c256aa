/** The pages of certificates. */

import { authorize } from "../../../auth/mod.ts";
import { AppError } from "../../../base/errors.ts";
import { ALL_FIELDS, getObject, updateObject } from "../../../resource/mod.ts";
import { type Call, ID, type Route } from "../../call.ts";
import { viewRoutes } from "../../kit/mod.ts";
import { bulkAction, undoBulkAction } from "./bulk.tsx";
import { validateCertificateChain } from "../../../domain/certificates/chain/validate_certificate.ts";
import { certificates, isFound } from "../../../domain/certificates/mod.ts";
import { checkCertificate } from "../../../domain/compliance/mod.ts";
import { checkRevocation } from "../../../domain/revocation/mod.ts";
import { objectAction } from "../../responses.ts";
import { messageWithNames } from "./detail/chain_texts.ts";
import { certificatePage } from "./detail/page.tsx";
import { certificateView } from "./view.tsx";
import { certificateList, exportFiltered, exportOne } from "./list.tsx";
import { renewFromForm, renewPage, requestFromForm } from "./renew.tsx";

export { chainState, withAssignedTo } from "./cells.tsx";
export {
  certificateColumns,
  CertificateName,
  columnLabels,
  keyText,
  LISTED,
  type ListedCertificate,
  NameLink,
  neededFields,
  Owner,
  readListed,
} from "./columns.tsx";
export { TellButton } from "./tell_owners.tsx";
export { SuccessorForm } from "./renewal_ways.tsx";
export {
  allCertificatesPath,
  certificatePicker,
  incidentPath,
  REVOKED_USED,
  selectedList,
  usedParams,
  withDefaults,
} from "./list_defaults.ts";
export {
  certificateTable,
  countServingReplaced,
  loadStillUsed,
  StillUsed,
  TitledCertificates,
} from "./tables.tsx";

export const certificateRoutes: readonly Route[] = [
  ...viewRoutes(certificateView, { list: certificateList, detail: certificatePage }),
  { method: "POST", path: "/certificates/bulk/", handle: bulkAction },
  { method: "POST", path: "/certificates/undo/", handle: undoBulkAction },
  { method: "GET", path: "/certificates/export/", handle: exportFiltered },
  objectAction(certificates, "validate/", {
    run: ({ ctx }, id) => validateCertificateChain({ ctx, id, input: undefined }),
    codes: ["invalid", "conflict"],
    report: (chain) => `${messageWithNames(chain.message, chain.certificates)}.`,
  }),
  objectAction(certificates, "check-revocation/", {
    run: ({ ctx }, id) => checkRevocation({ ctx, id, input: undefined }),
    codes: [],
    report: ({ status, message }) => message || `Revocation: ${status.replaceAll("_", " ")}.`,
  }),
  objectAction(certificates, "accept/", {
    run: acceptFound,
    codes: ["invalid", "conflict"],
    report: "Accepted: it is active. Endpoints that serve it are probed again.",
  }),
  // This runs all enabled policies.
  objectAction(certificates, "check/", {
    run: ({ ctx }, id) => checkCertificate({ ctx, id, input: {} }),
    codes: ["invalid", "conflict"],
    report: ({ passed, total_checks: total }) =>
      total === 0 ? "No policy applies to this certificate." : `${passed} of ${total} checks passed.`,
  }),
  { method: "GET", path: `/certificates/${ID}/renew/`, handle: (call) => renewPage(call) },
  { method: "POST", path: `/certificates/${ID}/renew/`, handle: renewFromForm },
  { method: "POST", path: `/certificates/${ID}/renew/request/`, handle: requestFromForm },
  { method: "GET", path: `/certificates/${ID}/export/`, handle: exportOne },
];

/** Makes a certificate that the service found active. Errors: conflict (it is none), those of an update. */
async function acceptFound({ ctx }: Call, id: number): Promise<void> {
  authorize(ctx, "change", certificates.map);
  const { object } = await getObject({ ctx, resource: certificates, id, selection: ALL_FIELDS });
  if (!isFound(object)) {
    throw new AppError("conflict", "It was not found, or somebody has accepted it already.");
  }
  await updateObject({ ctx, resource: certificates, id, input: { status: "active" }, mode: "patch" });
}

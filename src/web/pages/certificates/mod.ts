/** The pages of certificates. */

import { ID, type Route } from "../../call.ts";
import { createFromForm, newPage, viewRoutes } from "../../kit/mod.ts";
import { bulkAction, undoBulkAction } from "./bulk.tsx";
import { certificatePage, checkOne, validateOne } from "./detail/mod.ts";
import { archiveSelected } from "./deletion_advice.tsx";
import { exportFiltered, exportOne } from "./export.ts";
import { certificateList } from "./list.tsx";
import { renewFromForm, renewPage } from "./renew.tsx";
import { certificateView, enteredView } from "./view.tsx";

export { chainState } from "./chain_state.tsx";
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
export { FailedPolicies, MAX_NAMED_POLICIES, PolicyLink } from "./failed_policies.tsx";
export { type Assigned, EndpointCount, placesOf, withAssignedTo } from "./assigned_to.tsx";
export {
  allCertificatesPath,
  certificatePicker,
  REVOKED_USED,
  selectedList,
  usedParams,
  withDefaults,
} from "./list_defaults.ts";
export { certificateTable } from "./short_list.tsx";
export { countServingReplaced, loadStillUsed, StillUsed, UrgentCertificates } from "./still_used.tsx";

export const certificateRoutes: readonly Route[] = [
  ...viewRoutes(certificateView, { list: certificateList, detail: certificatePage }),
  { method: "GET", path: "/certificates/enter/", handle: (call) => newPage(call, enteredView) },
  { method: "POST", path: "/certificates/enter/", handle: (call) => createFromForm(call, enteredView) },
  { method: "POST", path: "/certificates/bulk/", handle: bulkAction },
  { method: "POST", path: "/certificates/undo/", handle: undoBulkAction },
  { method: "GET", path: "/certificates/export/", handle: exportFiltered },
  { method: "POST", path: `/certificates/${ID}/validate/`, handle: validateOne },
  { method: "POST", path: "/certificates/archive/", handle: archiveSelected },
  { method: "POST", path: `/certificates/${ID}/check/`, handle: checkOne },
  { method: "GET", path: `/certificates/${ID}/renew/`, handle: renewPage },
  { method: "POST", path: `/certificates/${ID}/renew/`, handle: renewFromForm },
  { method: "GET", path: `/certificates/${ID}/export/`, handle: exportOne },
];

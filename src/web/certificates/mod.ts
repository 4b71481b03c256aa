/** The pages of certificates. */

import { ID, type Route } from "../call.ts";
import { viewRoutes } from "../objects/mod.ts";
import { bulkAction } from "./bulk.tsx";
import { exportFiltered, exportOne } from "./export.ts";
import { certificateList } from "./list.tsx";
import { certificateView } from "./view.ts";

export { daysText, Expiry, issuerName } from "./columns.tsx";

/** All of them. */
export const certificateRoutes: readonly Route[] = [
  ...viewRoutes(certificateView, { list: certificateList }),
  { method: "POST", path: "/certificates/bulk/", handle: bulkAction },
  { method: "GET", path: "/certificates/export/", handle: exportFiltered },
  { method: "GET", path: `/certificates/${ID}/export/`, handle: exportOne },
];

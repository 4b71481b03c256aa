/** The pages of compliance: policies, their results, the report on them. */

import type { Route } from "../call.ts";
import { viewRoutes } from "../objects/mod.ts";
import { checkView } from "./check_view.tsx";
import { downloadReport } from "./download.ts";
import { policyView } from "./policy_view.ts";
import { reportPage } from "./report.tsx";

export const complianceRoutes: readonly Route[] = [
  { method: "GET", path: "/compliance/", handle: reportPage },
  { method: "GET", path: "/compliance/download/", handle: downloadReport },
  ...viewRoutes(policyView),
  ...viewRoutes(checkView),
];

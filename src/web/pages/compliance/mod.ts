/** The pages of compliance: policies, their results, the report on them. */

import { ID, type Route } from "../../call.ts";
import { viewRoutes } from "../../kit/mod.ts";
import { checkView } from "./check_view.tsx";
import { downloadReport } from "./download.ts";
import { policyView } from "./policy_view.tsx";
import { reportPage } from "./report.tsx";
import { checkPolicy, checkReport } from "./run_checks.ts";

export const complianceRoutes: readonly Route[] = [
  { method: "GET", path: "/compliance/", handle: reportPage },
  { method: "GET", path: "/compliance/download/", handle: downloadReport },
  { method: "POST", path: "/compliance/check/", handle: checkReport },
  { method: "POST", path: `/policies/${ID}/check/`, handle: checkPolicy },
  ...viewRoutes(policyView),
  ...viewRoutes(checkView),
];

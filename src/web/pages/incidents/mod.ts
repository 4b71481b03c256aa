/** The pages of incidents. */

import { ID, type Route } from "../../call.ts";
import { viewRoutes } from "../../kit/mod.ts";
import { changeMembers, changeStatus, downloadReport, reportPage } from "./members.tsx";
import { incidentView } from "./view.tsx";

export const incidentRoutes: readonly Route[] = [
  ...viewRoutes(incidentView),
  { method: "POST", path: `/incidents/${ID}/exclude/`, handle: changeMembers("exclude") },
  { method: "POST", path: `/incidents/${ID}/include/`, handle: changeMembers("include") },
  { method: "POST", path: `/incidents/${ID}/status/`, handle: changeStatus },
  { method: "GET", path: `/incidents/${ID}/report/`, handle: reportPage },
  { method: "GET", path: `/incidents/${ID}/report/download/`, handle: downloadReport },
];

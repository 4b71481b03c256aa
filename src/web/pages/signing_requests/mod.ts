/** The pages of signing requests. */

import { ID, type Route } from "../../call.ts";
import { listPage, viewRoutes } from "../../kit/mod.ts";
import { changeStatus, decideSelected, downloadRequest, recordIssued } from "./actions.tsx";
import { signingRequestView, statusButtons } from "./view.tsx";

export const signingRequestRoutes: readonly Route[] = [
  ...viewRoutes(signingRequestView, {
    list: (call, view) => listPage(call, view, () => ({ selected: statusButtons(call) })),
  }),
  { method: "POST", path: "/csrs/status/", handle: decideSelected },
  { method: "GET", path: `/csrs/${ID}/pem/`, handle: downloadRequest },
  { method: "POST", path: `/csrs/${ID}/status/`, handle: changeStatus },
  { method: "POST", path: `/csrs/${ID}/issued/`, handle: recordIssued },
];

/** The pages of signing requests. */

import { ID, type Route } from "../../call.ts";
import { listPage, viewRoutes } from "../../kit/mod.ts";
import { changeStatus, decideSelected, downloadRequest, recordIssued } from "./actions.ts";
import { rejectOnePage } from "./rejection.tsx";
import { signingRequestView, statusButtons } from "./view.tsx";
import { generatePage } from "./ways.tsx";

export const signingRequestRoutes: readonly Route[] = [
  ...viewRoutes(signingRequestView, {
    list: (call, view) => listPage(call, view, () => ({ selected: statusButtons(call) })),
  }),
  { method: "GET", path: "/csrs/generate/", handle: generatePage },
  { method: "POST", path: "/csrs/status/", handle: decideSelected },
  { method: "GET", path: `/csrs/${ID}/pem/`, handle: downloadRequest },
  { method: "GET", path: `/csrs/${ID}/reject/`, handle: rejectOnePage },
  { method: "POST", path: `/csrs/${ID}/status/`, handle: changeStatus },
  { method: "POST", path: `/csrs/${ID}/issued/`, handle: recordIssued },
];

/** The next step of a signing request. */

import { type Context, isGranted } from "../../auth/mod.ts";
import { certificates } from "../certificates/mod.ts";
import { type SigningRequest, signingRequests } from "../signing_requests/mod.ts";
import { doing, type RequestAdvice } from "./schema.ts";

type Decided = Pick<SigningRequest, "id" | "status" | "suggested_certificate" | "resulting_certificate">;

/** Returns what is to be done about a request, which the caller may `change`; undefined for one that has expired. */
export function requestAdvice(ctx: Context, request: Decided, change: boolean): RequestAdvice | undefined {
  const { id, status, suggested_certificate: suggested, resulting_certificate: issued } = request;
  const params = {};
  const severity = "info";
  const action = doing("change", signingRequests, { id, permitted: change });
  if ((status === "pending" || status === "approved") && suggested !== null) {
    return { code: "confirm_certificate", severity, params, action };
  }
  switch (status) {
    case "pending":
      return { code: "decide", severity: "warning", params, action };
    case "approved":
      return {
        code: "send",
        severity,
        params,
        action: doing("import", certificates, { permitted: mayAddCertificates(ctx) }),
      };
    case "issued":
      return issued === null
        ? { code: "choose_certificate", severity: "warning", params, action }
        : { code: "issued", severity: "ok", params, action: null };
    case "rejected":
      return { code: "rejected", severity, params, action };
    case "expired":
      return undefined;
  }
}

/** Returns whether the caller may add an issued certificate. */
export function mayAddCertificates(ctx: Context): boolean {
  return ["add", "import"].some((action) => isGranted(ctx, action, certificates.objectType));
}

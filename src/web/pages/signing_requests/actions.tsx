/** Actions of the buttons on the page of a signing request. */

import { counted, numberText } from "../../../base/amounts.ts";
import { download } from "../../../base/download.ts";
import { AppError, forbidden, notFound } from "../../../base/errors.ts";
import { signingRequests } from "../../../domain/signing_requests/mod.ts";
import { ALL_FIELDS, etagOfObject, getObject, updateObject, updateObjects } from "../../../resource/mod.ts";
import { type Call, idOf } from "../../call.ts";
import { idsOf, textOf } from "../../forms.ts";
import { backOf, may, readRows, selectedIds } from "../../kit/mod.ts";
import { objectPath } from "../../paths.ts";
import { attempt, done, refused } from "../../responses.ts";

/** Statuses that the buttons set, and what the next page reports. */
const REPORTS: Readonly<Record<string, string>> = {
  approved: "Approved.",
  rejected: "Rejected.",
  pending: "Opened again.",
};

/** Sets the status, unless another user has changed the request since the page was shown. */
export async function changeStatus(call: Call): Promise<Response> {
  requireChange(call);
  const status = textOf(call.form, "status");
  const report = Object.hasOwn(REPORTS, status) ? REPORTS[status] : undefined;
  if (report === undefined) throw new AppError("invalid", "Unknown status. Go back and choose again.");
  return await change(call, { status }, report);
}

/** Decisions about several requests, and the statuses in which a request can be decided in this way. */
const DECIDED_FROM: Readonly<Record<string, readonly string[]>> = {
  approved: ["pending"],
  rejected: ["pending", "approved"],
};

/** Approves or rejects the selected requests that are open, all or none, and returns to the same list. */
export async function decideSelected(call: Call): Promise<Response> {
  requireChange(call);
  const status = textOf(call.form, "status");
  const from = Object.hasOwn(DECIDED_FROM, status) ? DECIDED_FROM[status] : undefined;
  if (from === undefined) throw new AppError("invalid", "Unknown status. Go back and choose again.");
  const back = backOf(call, signingRequests);
  const codes = ["invalid", "forbidden", "precondition_failed", "too_large"] as const;
  return await attempt({ call, back, codes }, async () => {
    const ids = await selectedIds(call, { resource: signingRequests });
    if (ids.length === 0) return refused(call, back, "Select at least one signing request.");
    const { rows } = await readRows(call.ctx, signingRequests, {
      params: { id: ids, status: from, limit: 0 },
      fields: ["id", "last_updated"],
    });
    if (rows.length === 0) {
      return refused(call, back, `Only requests that are ${from.join(" or ")} can be ${status}.`);
    }
    const versions = new Map(rows.map((row) => [row.id, etagOfObject(row)]));
    await updateObjects({
      ctx: call.ctx,
      resource: signingRequests,
      mode: "patch",
      input: rows.map(({ id }) => ({ id, status })),
      accepts: (id, etag) => versions.get(id) === etag,
    });
    const left = new Set(ids).size - rows.length;
    const others = left === 0 ? "" : ` ${numberText(left)} not changed.`;
    return done(call, back, `${counted(rows.length, "request")} ${status}.${others}`);
  });
}

/** Sets the certificate that was issued, and with it the status. */
export async function recordIssued(call: Call): Promise<Response> {
  requireChange(call);
  const [certificate] = idsOf(call.form, "certificate");
  if (certificate === undefined) throw new AppError("invalid", "No certificate was chosen.");
  return await change(call, { resulting_certificate: certificate }, "Certificate recorded as issued.");
}

/** Refuses users without any matching permission. Errors: forbidden. */
function requireChange(call: Call): void {
  if (!may(call, signingRequests, "change")) throw forbidden();
}

async function change(call: Call, input: object, report: string): Promise<Response> {
  const id = idOf(call);
  const back = objectPath(signingRequests, id);
  const version = textOf(call.form, "version");
  const codes = ["invalid", "forbidden"] as const;
  return await attempt({ call, back, codes }, async () => {
    try {
      await updateObject({
        ctx: call.ctx,
        resource: signingRequests,
        id,
        input,
        mode: "patch",
        accepts: version === "" ? undefined : (etag) => etag === version,
      });
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== "precondition_failed") throw error;
      return refused(call, back, "Another user has changed this request. Check it again.");
    }
    return done(call, back, report);
  });
}

/** Sends the request as a file: `GET /csrs/<id>/pem/`. */
export async function downloadRequest(call: Call): Promise<Response> {
  const { ctx } = call;
  const { object } = await getObject({
    ctx,
    resource: signingRequests,
    id: idOf(call),
    selection: ALL_FIELDS,
  });
  const { pem_content: pem, common_name: name } = object;
  if (typeof pem !== "string" || pem === "") throw notFound();
  return await download(ctx, {
    mediaType: "application/x-pem-file",
    fileName: `${name}.csr`,
    text: ReadableStream.from([pem]),
  });
}

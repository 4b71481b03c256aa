/** Returns all details of a stored certificate. */

import { authorize, type Context } from "../../../auth/mod.ts";
import { AppError, notFound } from "../../../base/errors.ts";
import { inSlices } from "../../../base/pace.ts";
import { type CertificateDescription, describeCertificate, readingCertificates } from "../../../x509/mod.ts";
import { certificates } from "../mod.ts";
import { loadTexts } from "./texts.ts";

/** Describes a certificate from its PEM. Errors: forbidden, not_found, invalid (it has no PEM). */
export async function describeStored(
  { ctx, id }: { ctx: Context; id: number },
): Promise<CertificateDescription> {
  const allowed = authorize(ctx, "view", certificates.map);
  const texts = (await loadTexts(ctx, allowed, [id])).get(id);
  if (texts === undefined) throw notFound();
  const { members: [member] } = await inSlices(readingCertificates(texts.pem_content));
  if (member === undefined) throw new AppError("invalid", "Certificate has no PEM content to describe.");
  return describeCertificate(member.certificate);
}

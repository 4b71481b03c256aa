/** Certificates as files. */

import { download } from "../../base/download.ts";
import { exportCertificate, exportCertificates } from "../../domain/certificates/export/mod.ts";
import { type Call, idOf } from "../call.ts";
import { cleanUrl } from "../objects/mod.ts";

/** `GET /certificates/export/?format=csv&<filters>`: all that the filters let through. */
export async function exportFiltered({ ctx, url }: Call): Promise<Response> {
  return await download(ctx, await exportCertificates({ ctx, params: cleanUrl(url).searchParams }));
}

/** `GET /certificates/<id>/export/?format=pem`: one of them. */
export async function exportOne(call: Call): Promise<Response> {
  const { ctx, query } = call;
  return await download(ctx, await exportCertificate({ ctx, id: idOf(call), params: query }));
}

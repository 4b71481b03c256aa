/** Notes of a certificate and its authority about renewals. */

import type { Certificate } from "../../../domain/certificates/mod.ts";
import { authorities } from "../../../domain/authorities/mod.ts";
import { getObject } from "../../../resource/mod.ts";
import type { Call } from "../../call.ts";
import { type Html, Markdown } from "../../kit/components/mod.ts";

const AUTHORITY = {
  brief: false,
  omit: [],
  long: false,
  fields: ["name", "portal_url", "instructions", "renewal_note"],
};

/** Renders notes of the certificate and its authority, and the instructions and the portal of the authority. */
export async function renewalNotes(call: Call, certificate: Certificate): Promise<Html> {
  const { id } = certificate.issuing_ca ?? { id: null };
  const authority = id === null
    ? undefined
    : (await getObject({ ctx: call.ctx, resource: authorities, id, selection: AUTHORITY })).object;
  const portal = authority?.portal_url ?? "";
  const texts = [certificate.renewal_note, authority?.renewal_note, authority?.instructions].filter((text) =>
    typeof text === "string" && text !== ""
  );
  return (
    <>
      {texts.map((text) => (
        <div class="box">
          <Markdown text={String(text)} />
        </div>
      ))}
      {portal === "" ? null : (
        <p>
          Certificates of {String(authority?.name)} are ordered at{" "}
          <a href={portal} rel="noopener noreferrer">{portal}</a>.
        </p>
      )}
    </>
  );
}

/** A successor that was given as PEM although it is already in the inventory. */

import { type Certificate, certificates, fingerprintOf } from "../../../domain/certificates/mod.ts";
import { renewCertificate } from "../../../domain/certificates/renewal/mod.ts";
import { holdsPrivateKey } from "../../../x509/mod.ts";
import type { Call } from "../../call.ts";
import { Form, type Html, truncate } from "../../kit/components/mod.ts";
import { textOf } from "../../forms.ts";
import { fieldErrorsOf } from "../../messages.ts";
import { readRows } from "../../kit/mod.ts";
import { comparedNames } from "./renewal_candidates.tsx";

/** An existing certificate that was given as a new one. */
export interface Stored {
  readonly row: Pick<Certificate, "id" | "common_name" | "sans">;
  /** Why it cannot be the successor. */
  readonly refusal: readonly string[];
}

/** Says that the given certificate exists already, and how its names differ; offers it if it can be the successor. */
export function AlreadyStored(
  { call, stored: { row, refusal }, object }: { call: Call; stored: Stored; object: Certificate },
): Html {
  if (row.id === object.id) {
    return <p class="flash error" role="alert">This is the current certificate. Give the new one.</p>;
  }
  return (
    <div class={`flash ${refusal.length === 0 ? "warn" : "error"}`} role="alert">
      <span>
        This certificate is already in the inventory:{" "}
        <a href={`/certificates/${row.id}/`}>
          <bdi>{truncate(row.common_name)}</bdi>
        </a>. <bdi>{refusal.length === 0 ? `${comparedNames(object, row)}.` : refusal.join(" ")}</bdi>
      </span>
      {refusal.length > 0
        ? null
        : (
          <Form call={call} action={`/certificates/${object.id}/renew/`} class="inline">
            <input type="hidden" name="certificate" value={String(row.id)} />
            <button type="submit" class="secondary small">Use it as the successor</button>
          </Form>
        )}
    </div>
  );
}

/** Returns the existing certificate that was given as PEM, if the user may view it. */
export async function findStored(call: Call, id: number): Promise<Stored | undefined> {
  const pem = textOf(call.form, "pem_content");
  const fingerprint = holdsPrivateKey(pem) ? undefined : await fingerprintOf(pem);
  if (fingerprint === undefined) return undefined;
  const params = { fingerprint_sha256: fingerprint, archived: "any", limit: 1 };
  const { rows: [row] } = await readRows(call.ctx, certificates, {
    params,
    fields: ["id", "common_name", "sans"],
  });
  if (row === undefined) return undefined;
  try {
    await renewCertificate({ ctx: call.ctx, id, input: { certificate: row.id, dry_run: true } });
    return { row, refusal: [] };
  } catch (error) {
    return { row, refusal: Object.values(fieldErrorsOf(error)).flat() };
  }
}

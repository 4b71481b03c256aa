/** The existing certificate that a certificate of the preview would renew. */

import { formatDatetime } from "../../base/clock.ts";
import type { InspectedCertificate } from "../../domain/certificates/import/mod.ts";
import { certificates } from "../../domain/certificates/mod.ts";
import { Day, type Html, truncate } from "../components/mod.ts";
import { objectPath } from "../paths.ts";

/** Name of the button that renews an existing certificate; its value is the fingerprint of the new one. */
export const SUCCESSOR = "successor";

/** Renders the certificate with the same names that the new one would otherwise be stored next to. */
export function Renewable({ one, form }: { one: InspectedCertificate; form: string }): Html | null {
  if (one.renewable === undefined || one.status !== "create") return null;
  const { id, common_name: name, valid_to, permitted } = one.renewable;
  const path = objectPath(certificates, id);
  return (
    <p class="renewable">
      <span>
        Same names as{" "}
        <a href={path}>
          <bdi>{truncate(name)}</bdi>
        </a>{" "}
        (expires <Day at={formatDatetime(valid_to)} />).
      </span>
      {permitted
        ? (
          <button
            type="submit"
            form={form}
            formaction={`${path}renew/`}
            name={SUCCESSOR}
            value={one.fingerprint_sha256}
            class="secondary small"
          >
            Renew it with this
          </button>
        )
        : null}
    </p>
  );
}

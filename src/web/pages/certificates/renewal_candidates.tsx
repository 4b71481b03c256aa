/** The possible successors of a certificate in the inventory. */

import type { RenewalCandidate } from "../../../domain/certificates/renewal/mod.ts";
import { type Certificate, lostNames } from "../../../domain/certificates/mod.ts";
import type { Call } from "../../call.ts";
import { BreakableName, Day, Form, type Html, Table, truncate } from "../../kit/components/mod.ts";
import { issuerName } from "../../kit/mod.ts";
import { namesOf } from "./renewal_preview.tsx";

type Named = Parameters<typeof namesOf>[0];
type Candidate = RenewalCandidate & Pick<Certificate, "tenant">;

export function Candidates(
  { call, rows, path, object }: { call: Call; rows: readonly Candidate[]; path: string; object: Candidate },
): Html {
  return (
    <Table
      caption="Possible successors"
      rows={rows}
      columns={[
        {
          label: "Common name",
          cell: (row) => (
            <>
              <a href={`/certificates/${row.id}/`}>
                <bdi>
                  <BreakableName text={truncate(row.common_name)} />
                </bdi>
              </a>
              <br />
              <small class="faint">
                <bdi>{comparedNames(object, row)}</bdi>
              </small>
            </>
          ),
        },
        { label: "Issuer", cell: (row) => issuerName(row.issuer), layout: ["p2"] },
        {
          label: "Serial number",
          cell: (row) => <code>{truncate(row.serial_number, 24)}</code>,
          layout: ["p2"],
        },
        { label: "Valid to", cell: (row) => <Day at={row.valid_to} /> },
        {
          label: "Actions",
          layout: ["hidden-label"],
          cell: (row) =>
            row.tenant === null && object.tenant !== null
              ? <a href={`/certificates/${row.id}/edit/#f-tenant`}>Set tenant first</a>
              : (
                <Form call={call} action={path} class="inline">
                  <input type="hidden" name="certificate" value={String(row.id)} />
                  <button type="submit" class="secondary small">Compare</button>
                </Form>
              ),
        },
      ]}
    />
  );
}

/** Returns how the names of a possible successor differ from those of the certificate. */
export function comparedNames(object: Named, candidate: Named): string {
  const [old, other] = [namesOf(object), namesOf(candidate)];
  const lost = lostNames(old, other);
  if (lost.length > 0) return `Does not cover ${truncate(lost.join(", "), LOST_CHARS)}`;
  return lostNames(other, old).length > 0 ? "Also covers other names" : "Same names";
}

/** Maximum length of the names that a possible successor does not cover. */
const LOST_CHARS = 80;

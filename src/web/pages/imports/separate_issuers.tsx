/** The choice whether new issuers are stored as separate certificates, or only in the chains of others. */

import type { InspectedCertificate } from "../../../domain/certificates/import/mod.ts";
import { type Html, truncate } from "../../kit/components/mod.ts";
import { type ChainGroup, chainGroups } from "./chain_groups.ts";

/** Names of the fields for the issuers that can be stored in chains only, and for those that are not. */
const [ISSUER, SEPARATE] = ["issuer", "separate"] as const;

/** Returns the fingerprints of the issuers that the user does not add as separate certificates. */
export function chainOnlyOf(form: FormData): string[] {
  const separate = form.getAll(SEPARATE);
  return form.getAll(ISSUER).filter((one): one is string =>
    typeof one === "string" && !separate.includes(one)
  );
}

/** Returns whether the user chooses which new issuers are added as separate certificates. */
export function hasSeparateIssuers(all: readonly InspectedCertificate[]): boolean {
  return chainGroups(all).some(({ issuers }) => issuers.some(({ status }) => status === "create"));
}

/** Renders the choice whether new issuers are also added as separate certificates. */
export function SeparateIssuers(
  { group, rows, form, given }: {
    group: ChainGroup;
    rows: readonly InspectedCertificate[];
    form: string;
    given: FormData;
  },
): Html | null {
  const fresh = group.issuers.filter((one) => rows.includes(one) && one.status === "create");
  if (fresh.length === 0) return null;
  const left = chainOnlyOf(given);
  return (
    <fieldset class="issuers">
      <legend>Also add as separate certificates</legend>
      {fresh.map(({ fingerprint_sha256: print, common_name: name }) => (
        <>
          <input type="hidden" form={form} name={ISSUER} value={print} />
          <label>
            <input
              type="checkbox"
              form={form}
              name={SEPARATE}
              value={print}
              checked={!left.includes(print)}
            />
            <bdi>{truncate(name)}</bdi>
          </label>
        </>
      ))}
      <small class="faint">
        {fresh.length === 1 ? "It is" : "They are"} stored in the chain of {group.heads.length === 1
          ? <bdi>{truncate(group.heads[0]?.common_name ?? "")}</bdi>
          : "the certificates above"} in any case.
      </small>
    </fieldset>
  );
}

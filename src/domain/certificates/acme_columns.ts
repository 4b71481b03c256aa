/** The stored result of ACME detection. */

import type { Cell, Row } from "../../db/mod.ts";
import { type AcmeProvider, detectAcmeIssuance, readCertificates } from "../../x509/mod.ts";

/** Returns the columns that hold a provider; without one both flags are cleared. */
export function acmeColumns(provider: AcmeProvider | null): Record<string, Cell> {
  return { is_acme: Number(provider !== null), acme_provider: provider ?? "" };
}

/** Detects the ACME provider of a stored certificate, by its PEM where it has one. */
export function storedAcmeProvider({ issuer, common_name, pem_content }: Row): AcmeProvider | null {
  return detectAcmeIssuance({
    issuer: issuer as string,
    commonName: common_name as string,
    certificate: () =>
      pem_content === "" ? undefined : readCertificates(pem_content as string).members[0]?.certificate,
  });
}

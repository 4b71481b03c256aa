/** What a certificate is for: extended key usages and basic constraints in the inventory's words. */

import { readHostName } from "../base/host_name.ts";
import { lastValue } from "./names.ts";
import type { Certificate } from "./types.ts";

/** Usages of certificates, in the order in which they are listed. */
export const USAGES = [
  "server_auth",
  "client_auth",
  "code_signing",
  "email_protection",
  "time_stamping",
  "ocsp_signing",
  "document_signing",
  "smart_card",
  "any",
  "ca",
  "other",
] as const;

export type Usage = typeof USAGES[number];

/** Kinds of certificates: what they are mainly for. */
export const KINDS = ["server", "client", "ca", "other"] as const;

export type Kind = typeof KINDS[number];

/** Usages by the names of extended key usages (RFC 5280 §4.2.1.12, RFC 9336, Microsoft's); all others are `other`. */
const BY_PURPOSE: Readonly<Record<string, Usage>> = {
  serverAuth: "server_auth",
  msServerGatedCrypto: "server_auth",
  netscapeServerGatedCrypto: "server_auth",
  clientAuth: "client_auth",
  codeSigning: "code_signing",
  emailProtection: "email_protection",
  timeStamping: "time_stamping",
  OCSPSigning: "ocsp_signing",
  documentSigning: "document_signing",
  msDocumentSigning: "document_signing",
  msSmartcardLogon: "smart_card",
  anyExtendedKeyUsage: "any",
};

/**
 * Returns the usages of a certificate. One without extended key usages may be used for anything, unless it is that of
 * an authority (RFC 5280 §4.2.1.9).
 */
export function usagesOf(
  { basicConstraints, extendedKeyUsage }: Pick<Certificate, "basicConstraints" | "extendedKeyUsage">,
): Usage[] {
  const isCa = basicConstraints?.ca === true;
  const found = new Set<Usage>(extendedKeyUsage?.map((purpose) => BY_PURPOSE[purpose] ?? "other"));
  if (isCa) found.add("ca");
  else if (extendedKeyUsage === undefined) found.add("any");
  return USAGES.filter((usage) => found.has(usage));
}

/**
 * Returns what a certificate is mainly for. One that names a host is a server's, even if it may also issue certificates:
 * `openssl req -x509` makes such ones by default. One without limits is taken for a server's.
 */
export function kindOf(certificate: Certificate): Kind {
  const usages = usagesOf(certificate);
  if (usages.includes("ca")) return namesHost(certificate) ? "server" : "ca";
  if (usages.includes("server_auth") || usages.includes("any")) return "server";
  return usages.includes("client_auth") ? "client" : "other";
}

function namesHost({ subject, issuer, subjectAltNames }: Certificate): boolean {
  if (subjectAltNames.length > 0) return subjectAltNames.some(({ kind }) => kind === "dns" || kind === "ip");
  const name = lastValue(subject, "CN") ?? "";
  return subject.text === issuer.text && name.includes(".") && readHostName(name) !== undefined;
}

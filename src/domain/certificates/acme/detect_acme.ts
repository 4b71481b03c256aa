/** Detects whether an ACME provider issued a certificate, and stores the result. */

import { z } from "zod";
import type { Context } from "../../../auth/mod.ts";
import { notFound } from "../../../base/errors.ts";
import { MAX_BULK_OBJECTS } from "../../../base/limits.ts";
import type { Condition } from "../../../filters/mod.ts";
import { NO_INPUT, objectBody, operation } from "../../../operation/mod.ts";
import { idList } from "../../../resource/mod.ts";
import {
  ACME_PROVIDERS,
  type AcmeProvider,
  detectAcmeIssuance,
  detectAcmeProvider,
  readCertificates,
} from "../../../x509/mod.ts";
import { acmeColumns, type CertificateRow, certificates, changeStored } from "../mod.ts";

const Provider = z.enum(ACME_PROVIDERS);

/** Response of `detect-acme/` for one certificate. */
const AcmeDetection = z.union([
  z.object({
    detected: z.literal(true),
    is_acme: z.literal(true),
    acme_provider: Provider,
    certificate: z.object({
      id: z.int(),
      common_name: z.string(),
      issuer: z.string(),
      is_acme: z.boolean(),
      acme_provider: Provider,
    }),
  }),
  z.object({ detected: z.literal(false), message: z.string() }),
]);

const AcmeDetections = z.object({
  total: z.int(),
  processed: z.int(),
  detected_acme: z.int(),
  not_acme: z.int(),
  missing_ids: z.array(z.int()),
  detections: z.array(z.object({
    id: z.int(),
    common_name: z.string(),
    detected: z.boolean(),
    acme_provider: Provider.optional(),
  })),
});

const UNKNOWN_ISSUER = "The issuer matches no known ACME provider.";
const NOT_BY_ACME =
  "The issuer matches an ACME provider, but this certificate cannot come from ACME: it belongs to an authority, " +
  "is self-signed, is not for TLS servers, or is not domain-validated.";

/** Detects the ACME provider of a certificate. Errors: forbidden, not_found. */
export const detectAcme = operation({
  needs: [["change", certificates]],
  input: NO_INPUT,
  output: AcmeDetection,
  run: async ({ ctx, id, allowed }): Promise<z.infer<typeof AcmeDetection>> => {
    const { rows, providers } = await storeDetected({ ctx, allowed: allowed(certificates), ids: [id] });
    const row = rows.get(id);
    if (row === undefined) throw notFound();
    const provider = providers.get(id) ?? null;
    const { common_name, issuer } = row;
    if (provider === null) {
      return { detected: false, message: detectAcmeProvider(issuer) === null ? UNKNOWN_ISSUER : NOT_BY_ACME };
    }
    return {
      detected: true,
      is_acme: true,
      acme_provider: provider,
      certificate: { id, common_name, issuer, is_acme: true, acme_provider: provider },
    };
  },
});

/**
 * Detects the ACME providers of many certificates. Stores all results or none. Errors: forbidden, invalid.
 */
export const bulkDetectAcme = operation({
  needs: [["bulk_operations", certificates], ["change", certificates]],
  input: objectBody({ ids: idList(MAX_BULK_OBJECTS) }),
  output: AcmeDetections,
  run: async ({ ctx, input: { ids }, allowed }) => {
    const { rows, providers } = await storeDetected({ ctx, allowed: allowed(certificates), ids });
    const detections = ids.flatMap((id) => {
      const row = rows.get(id);
      if (row === undefined) return [];
      const provider = providers.get(id) ?? null;
      return [{
        id,
        common_name: row.common_name,
        detected: provider !== null,
        ...(provider === null ? {} : { acme_provider: provider }),
      }];
    });
    const detected = detections.filter((one) => one.detected).length;
    return {
      total: ids.length,
      processed: detections.length,
      detected_acme: detected,
      not_acme: detections.length - detected,
      missing_ids: ids.filter((id) => !rows.has(id)),
      detections,
    };
  },
});

interface Detected {
  /** The certificates before they are changed. */
  readonly rows: ReadonlyMap<number, CertificateRow>;
  readonly providers: ReadonlyMap<number, AcmeProvider | null>;
}

/** Detects and stores providers. Clears the flags of certificates that no longer match. */
async function storeDetected(
  request: { ctx: Context; allowed: Condition; ids: readonly number[] },
): Promise<Detected> {
  const providers = new Map<number, AcmeProvider | null>();
  const rows = await changeStored(request, (row) => {
    const provider = storedAcmeProvider(row);
    providers.set(row.id, provider);
    return acmeColumns(provider);
  });
  return { rows, providers };
}

/** Detects the ACME provider of a stored certificate, from its PEM if it has one. */
function storedAcmeProvider({ issuer, common_name, pem_content: pem }: CertificateRow): AcmeProvider | null {
  return detectAcmeIssuance({
    issuer,
    commonName: common_name,
    certificate: () => pem === "" ? undefined : readCertificates(String(pem)).members[0]?.certificate,
  });
}

/** Detects whether an ACME provider issued a certificate, and stores the result. */

import { authorize, type Context } from "../../../auth/mod.ts";
import { notFound } from "../../../base/errors.ts";
import { MAX_BULK_OBJECTS } from "../../../base/limits.ts";
import type { Row } from "../../../db/mod.ts";
import { and, type Condition } from "../../../filters/mod.ts";
import { readIdList } from "../../../resource/mod.ts";
import { type AcmeProvider, detectAcmeProvider } from "../../../x509/mod.ts";
import { acmeColumns, certificates, changeStored, storedAcmeProvider } from "../mod.ts";

/** The answer about one certificate (specification, detect-acme). */
export type AcmeDetection =
  | {
    detected: true;
    is_acme: true;
    acme_provider: AcmeProvider;
    certificate: {
      id: number;
      common_name: string;
      issuer: string;
      is_acme: boolean;
      acme_provider: AcmeProvider;
    };
  }
  | { detected: false; message: string };

const UNKNOWN_ISSUER = "The issuer matches no known ACME provider.";
const NOT_BY_ACME =
  "The issuer matches an ACME provider, but this certificate cannot come from ACME: it is an authority's, " +
  "self-signed, not for TLS servers, or not domain-validated.";

/** Detects for one certificate. Errors: forbidden, not_found. */
export async function detectAcme({ ctx, id }: { ctx: Context; id: number }): Promise<AcmeDetection> {
  const allowed = authorize(ctx, "change", certificates.objectType);
  const { rows, providers } = await storeDetected({ ctx, allowed, ids: [id] });
  const row = rows.get(id);
  if (row === undefined) throw notFound();
  const provider = providers.get(id) ?? null;
  const { common_name, issuer } = row as { common_name: string; issuer: string };
  if (provider === null) {
    return { detected: false, message: detectAcmeProvider(issuer) === null ? UNKNOWN_ISSUER : NOT_BY_ACME };
  }
  return {
    detected: true,
    is_acme: true,
    acme_provider: provider,
    certificate: { id, common_name, issuer, is_acme: true, acme_provider: provider },
  };
}

/** The answer about many certificates. */
export interface AcmeDetections {
  total: number;
  processed: number;
  detected_acme: number;
  not_acme: number;
  missing_ids: number[];
  detections: { id: number; common_name: string; detected: boolean; acme_provider?: AcmeProvider }[];
}

/** Detects for `{ids}`. Errors: forbidden, invalid. */
export async function bulkDetectAcme(
  { ctx, input }: { ctx: Context; input: unknown },
): Promise<AcmeDetections> {
  const { objectType } = certificates;
  const allowed = and(authorize(ctx, "bulk_operations", objectType), authorize(ctx, "change", objectType));
  const ids = readIdList(input, { field: "ids", max: MAX_BULK_OBJECTS });
  const { rows, providers } = await storeDetected({ ctx, allowed, ids });
  const detections = ids.flatMap((id) => {
    const row = rows.get(id);
    if (row === undefined) return [];
    const provider = providers.get(id) ?? null;
    return [{
      id,
      common_name: row.common_name as string,
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
}

interface Detected {
  /** The certificates as they were. */
  readonly rows: ReadonlyMap<number, Row>;
  readonly providers: ReadonlyMap<number, AcmeProvider | null>;
}

/** Detects and stores; a certificate that no longer matches loses its flags. */
async function storeDetected(
  request: { ctx: Context; allowed: Condition; ids: readonly number[] },
): Promise<Detected> {
  const providers = new Map<number, AcmeProvider | null>();
  const rows = await changeStored(request, (row) => {
    const provider = storedAcmeProvider(row);
    providers.set(row.id as number, provider);
    return acmeColumns(provider);
  });
  return { rows, providers };
}

/** Finds out whether an ACME provider issued a certificate, by its issuer's name, and stores the answer. */

import { authorize, type Context } from "../../access/mod.ts";
import { notFound } from "../../base/errors.ts";
import { MAX_BULK_OBJECTS } from "../../base/limits.ts";
import type { Cell, Row } from "../../db/mod.ts";
import { and } from "../../lookup/mod.ts";
import { readIdList } from "../../resource/mod.ts";
import { type AcmeProvider, detectAcmeProvider } from "../../x509/mod.ts";
import { certificates, changeStored } from "../certificates/mod.ts";

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

/** Detects for one certificate. Errors: forbidden, not_found. */
export async function detectAcme({ ctx, id }: { ctx: Context; id: number }): Promise<AcmeDetection> {
  const allowed = authorize(ctx, "change", certificates.objectType);
  const row = (await changeStored({ ctx, allowed, ids: [id] }, detectedColumns)).get(id);
  if (row === undefined) throw notFound();
  const provider = providerOf(row);
  if (provider === null) {
    return { detected: false, message: "The issuer matches no known ACME provider." };
  }
  const { common_name, issuer } = row as { common_name: string; issuer: string };
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
  const rows = await changeStored({ ctx, allowed, ids }, detectedColumns);
  const detections = ids.flatMap((id) => {
    const row = rows.get(id);
    if (row === undefined) return [];
    const provider = providerOf(row);
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

function providerOf(row: Row): AcmeProvider | null {
  return detectAcmeProvider(row.issuer as string);
}

/** A certificate that no longer matches loses its flags. */
function detectedColumns(row: Row): Record<string, Cell> {
  const provider = providerOf(row);
  return { is_acme: Number(provider !== null), acme_provider: provider ?? "" };
}

/** Certificates that a test adds to the seeded database before its request, through the service itself. */

import { certificates } from "../../src/domain/certificates/mod.ts";
import { createObject } from "../../src/resource/mod.ts";
import type { TestApp } from "./app.ts";
import { seed } from "./seed.ts";

/** Id of the first certificate that is created in a seeded database; the others follow it one by one. */
export const NEXT_CERTIFICATE = Object.keys(seed.certificates).length + 1;

/** Returns a body with all fields that creation without a PEM needs. */
export function metadata(
  serial: number,
  rest: Readonly<Record<string, unknown>> = {},
): Record<string, unknown> {
  return {
    common_name: `stored-${serial}.example`,
    serial_number: serial.toString(16).padStart(6, "0"),
    issuer: "O=Stored, CN=Stored CA",
    valid_from: "2026-01-01",
    valid_to: "2026-12-31T23:59:59Z",
    fingerprint_sha256: serial.toString(16).padStart(64, "0"),
    algorithm: "rsa",
    ...rest,
  };
}

/** Creates certificates in their order and returns their ids. */
export async function storeCertificates(
  { ctx }: TestApp,
  bodies: readonly Readonly<Record<string, unknown>>[],
): Promise<number[]> {
  const ids: number[] = [];
  for (const input of bodies) {
    ids.push((await createObject({ ctx, resource: certificates, input })).id as number);
  }
  return ids;
}

/** Returns a `before` of a scenario that creates certificates. */
export function storing(
  ...bodies: readonly Readonly<Record<string, unknown>>[]
): (app: TestApp) => Promise<void> {
  return async (app) => {
    await storeCertificates(app, bodies);
  };
}

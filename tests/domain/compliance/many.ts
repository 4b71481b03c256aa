/** Many certificates. */

import { certificates } from "../../../src/domain/certificates/mod.ts";
import { createObjects } from "../../../src/resource/mod.ts";
import type { TestApp } from "../../support/app.ts";

/** Returns a body of a certificate without PEM, a different one for each number. */
function storedBody(number: number): Record<string, unknown> {
  return {
    common_name: `stored-${number}.example`,
    serial_number: (0xabc000 + number).toString(16),
    issuer: "CN=Stored CA",
    valid_from: "2026-01-01",
    valid_to: "2026-12-31T23:59:59Z",
    fingerprint_sha256: number.toString(16).padStart(64, "0"),
    algorithm: "rsa",
    key_size: number % 2 === 0 ? 2048 : 1024,
    sans: [`stored-${number}.example`],
  };
}

/** Stores this number of certificates and returns their ids. */
export async function storeCertificates(
  { ctx }: TestApp,
  count: number,
  rest: Record<string, unknown> = {},
): Promise<number[]> {
  const input = Array.from({ length: count }, (_, number) => ({ ...storedBody(number), ...rest }));
  return (await createObjects({ ctx, resource: certificates, input })).map(({ id }) => id as number);
}

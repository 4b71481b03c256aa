/** Shared helpers of the chain validation tests. */

import assert from "node:assert/strict";
import { type ChainRequest, type ChainResult, validateChain } from "../../../src/x509/chain/mod.ts";
import { TEST_NOW, type TestCertificate } from "../../support/test_ca/mod.ts";

/** Registers a test that runs without any permission: chain validation is pure. */
export function pure(name: string, fn: () => Promise<void> | void): void {
  Deno.test({ name, permissions: "none", fn });
}

/** A request in terms of test certificates. */
export type Case = Partial<Omit<ChainRequest, "leaf" | "pool">> & {
  readonly leaf: TestCertificate;
  readonly pool?: readonly TestCertificate[];
};

/** Validates a case; by default at {@link TEST_NOW} and without anchors. */
export async function validate({ leaf, pool = [], ...rest }: Case): Promise<ChainResult> {
  return await validateChain({
    anchors: [],
    at: TEST_NOW,
    ...rest,
    leaf: leaf.der,
    pool: pool.map(({ der }) => der),
  });
}

/** Returns the code of an error or warning: the part before the colon. */
export function codes(lines: readonly string[]): string[] {
  return lines.map((line) => line.slice(0, line.indexOf(":")));
}

/** Compares a result's status and error codes together, so that a failing test shows both. */
export function assertResult(result: ChainResult, status: string, errors: readonly string[] = []): void {
  assert.deepEqual({ status: result.status, errors: codes(result.errors) }, { status, errors });
  assert.equal(result.isValid, status === "valid" || status === "self_signed");
}

/** Asks revocation lists about certificates. */

import assert from "node:assert/strict";
import { atOnce } from "../../../src/base/pace.ts";
import type { Certificate } from "../../../src/x509/mod.ts";
import { answerOfList, checkList, issuersOf, readCrl } from "../../../src/x509/revocation/mod.ts";
import { derWriter, generalName, TEST_NOW } from "../../support/test_ca/mod.ts";

const { explicit, implicit } = derWriter;

/** What a list is asked. */
export interface Question {
  readonly certificate: Certificate;
  /** Certificates among which the signer is searched. */
  readonly pool: readonly Certificate[];
  readonly at?: number;
}

/** Returns what a list says about a certificate: the status, or the code of the fault. */
export async function answerFor(
  der: Uint8Array,
  { certificate, pool, at = TEST_NOW }: Question,
): Promise<string> {
  let list;
  try {
    list = atOnce(readCrl(der, new Set([certificate.serial.toHex()])));
  } catch (error) {
    assert(
      error instanceof Error &&
        /^(Der|TrailingData|Limit)Error$/.test(error.name),
      String(error),
    );
    return "malformed";
  }
  const issuers = await issuersOf(certificate, pool);
  const checked = await checkList(list, { issuers, pool, at });
  if ("fault" in checked) return checked.fault.code;
  const answer = answerOfList(list, { certificate, signer: checked.signer });
  return "fault" in answer ? answer.fault.code : answer.status;
}

/** Returns the distribution point of issuingDistributionPoint with a URL. */
export const uri = (url: string): Uint8Array => explicit(0, explicit(0, generalName(`URI:${url}`)));
/** Returns an element of issuingDistributionPoint that is TRUE. */
export const flag = (number: number): Uint8Array => implicit(number, Uint8Array.of(0xff));

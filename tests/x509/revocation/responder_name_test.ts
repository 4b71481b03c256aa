/** A responder's name is read before any signature is checked, so everyone can make one that is malformed. */

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { checkOcspResponse } from "../../../src/x509/ocsp/mod.ts";
import { derWriter, TEST_NOW, TestCa } from "../../support/test_ca/mod.ts";

const { bitString, concat, explicit, integer, octetString, oid, sequence, set, tlv, utf8 } = derWriter;

Deno.test("a response whose responder has a malformed name is refused, and not an error", async () => {
  const ca = await TestCa.root({ cn: "CA" });
  const { certificate } = await ca.issue({ cn: "a.example" });
  const hash = (bytes: Uint8Array): Uint8Array =>
    octetString(new Uint8Array(createHash("sha1").update(bytes).digest()));
  const reqCert = sequence(
    sequence(oid("1.3.14.3.2.26"), tlv(5)),
    hash(ca.subject),
    hash(ca.certificate.publicKey.bits),
    integer(certificate.serial),
  );
  const at = tlv(0x18, new TextEncoder().encode("20260615110000Z"));
  const single = sequence(reqCert, tlv(0x80), at);
  const ask = async (name: Uint8Array): Promise<string> => {
    const tbs = sequence(tlv(0xa1, name), at, sequence(single));
    const { algorithm, signature } = await ca.key.sign(tbs);
    const basic = sequence(tbs, algorithm, bitString(signature));
    const type = oid("1.3.6.1.5.5.7.48.1.1");
    const response = sequence(
      tlv(0x0a, Uint8Array.of(0)),
      explicit(0, sequence(type, octetString(concat(basic)))),
    );
    const outcome = await checkOcspResponse(response, { certificate, issuer: ca.certificate, at: TEST_NOW });
    return "fault" in outcome ? outcome.fault.code : outcome.status;
  };
  assert.equal(await ask(ca.subject), "good");
  assert.equal(await ask(sequence(set(sequence(tlv(6), utf8("x"))))), "bad_signature");
});

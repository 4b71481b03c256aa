/** Lists and OCSP responses of an authority that openssl runs. Needs --allow-run=openssl --allow-read --allow-write. */

import assert from "node:assert/strict";
import { atOnce } from "../../../src/base/pace.ts";
import { answerOfList, checkList } from "../../../src/x509/revocation/mod.ts";
import { readCrl } from "../../../src/x509/revocation/mod.ts";
import { checkOcspResponse, ocspRequest } from "../../../src/x509/ocsp/mod.ts";
import type { RevocationAnswer } from "../../../src/x509/revocation/mod.ts";
import type { Certificate } from "../../../src/x509/mod.ts";
import { OpensslAuthority } from "../../support/openssl_authority.ts";

const DAY = 86_400_000;

/** Returns the status with its reason, or the code of the fault. */
function textOf(answer: RevocationAnswer | { fault: { code: string } }): string {
  if ("fault" in answer) return answer.fault.code;
  return answer.status === "revoked" ? `revoked: ${answer.reason}` : answer.status;
}

async function listed(
  der: Uint8Array,
  { certificate, issuer, at = Date.now() }: { certificate: Certificate; issuer: Certificate; at?: number },
): Promise<string> {
  const list = atOnce(readCrl(der, new Set([certificate.serial.toHex()])));
  const checked = await checkList(list, { issuers: [issuer], pool: [], at });
  return textOf("fault" in checked ? checked : answerOfList(list, { certificate, signer: checked.signer }));
}

for (const key of ["rsa", "ec", "ed25519"] as const) {
  Deno.test(`${key}: lists and responses say the same of good, revoked and held certificates`, async () => {
    await using authority = await OpensslAuthority.create(key);
    const issuer = authority.root.certificate;
    const [good, revoked, held] = [
      await authority.issue("good.example"),
      await authority.issue("revoked.example"),
      await authority.issue("held.example"),
    ];
    await authority.revoke(revoked, "keyCompromise");
    await authority.revoke(held, "certificateHold");
    for (
      const [{ certificate }, expected] of [
        [good, "good"],
        [revoked, "revoked: key_compromise"],
        [held, "revoked: certificate_hold"],
      ] as const
    ) {
      assert.equal(await listed(await authority.list(), { certificate, issuer }), expected);
      const { bytes, nonce } = ocspRequest(certificate, issuer);
      const response = await authority.respond(bytes);
      const ask = (question: object): Promise<string> =>
        checkOcspResponse(response, { certificate, issuer, at: Date.now(), nonce, ...question }).then(textOf);
      assert.equal(await ask({}), expected);
      assert.equal(await ask({ at: Date.now() + 4 * DAY }), "expired");
      assert.equal(await ask({ at: Date.now() - DAY }), "not_yet_valid");
      assert.equal(await ask({ nonce: new Uint8Array(32) }), "wrong_nonce");
      const another = certificate === good.certificate ? held : good;
      assert.equal(await ask({ certificate: another.certificate }), "wrong_serial");
    }
    await authority.release(held);
    const { certificate } = held;
    assert.equal(await listed(await authority.list(), { certificate, issuer }), "good");
    const { bytes } = ocspRequest(certificate, issuer);
    assert.equal(
      textOf(
        await checkOcspResponse(await authority.respond(bytes), { certificate, issuer, at: Date.now() }),
      ),
      "good",
    );
    assert.equal(
      await listed(await authority.list(), { certificate, issuer, at: Date.now() + 8 * DAY }),
      "expired",
    );
  });
}

Deno.test("responders: by key and by name, delegated only with OCSPSigning of the same authority", async () => {
  await using authority = await OpensslAuthority.create("ec");
  await using stranger = await OpensslAuthority.create("ec", { name: "stranger" });
  const issuer = authority.root.certificate;
  const { certificate } = await authority.issue("good.example");
  const delegated = await authority.issue("responder", "extendedKeyUsage = OCSPSigning");
  const other = await authority.issue("other", "extendedKeyUsage = serverAuth");
  const foreign = await stranger.issue("responder", "extendedKeyUsage = OCSPSigning");
  const { bytes, nonce } = ocspRequest(certificate, issuer);
  const ask = async (options: object, question: object = {}): Promise<string> =>
    textOf(
      await checkOcspResponse(await authority.respond(bytes, options), {
        certificate,
        issuer,
        at: Date.now(),
        nonce,
        ...question,
      }),
    );
  const days = ["-ndays", "3"];
  assert.equal(await ask({}), "good");
  assert.equal(await ask({ args: ["-resp_key_id", ...days] }), "good");
  assert.equal(await ask({ signer: delegated }), "good");
  assert.equal(await ask({ signer: delegated, args: ["-resp_key_id", ...days] }), "good");
  assert.equal(await ask({ signer: delegated, args: ["-resp_no_certs", ...days] }), "bad_signature");
  assert.equal(await ask({ signer: delegated }, { at: Date.now() + 91 * DAY }), "expired");
  assert.equal(await ask({ signer: other }), "key_usage");
  assert.equal(await ask({ signer: foreign }), "bad_signature");
  // Without a nextUpdate it counts for a day.
  assert.equal(await ask({ args: [] }), "good");
  assert.equal(await ask({ args: [] }, { at: Date.now() + 1.5 * DAY }), "expired");
  // A certificate that the responder does not know.
  const unknown = (await stranger.issue("unknown.example")).certificate;
  const asked = ocspRequest(unknown, stranger.root.certificate);
  const answer = await authority.respond(asked.bytes);
  assert.equal(
    textOf(
      await checkOcspResponse(answer, {
        certificate: unknown,
        issuer: stranger.root.certificate,
        at: Date.now(),
      }),
    ),
    "bad_signature",
  );
});

Deno.test("responses that are errors, cut off, damaged or something else", async () => {
  await using authority = await OpensslAuthority.create("ec");
  const issuer = authority.root.certificate;
  const { certificate } = await authority.issue("good.example");
  const { bytes, nonce } = ocspRequest(certificate, issuer);
  const response = await authority.respond(bytes);
  const ask = (der: Uint8Array): Promise<string> =>
    checkOcspResponse(der, { certificate, issuer, at: Date.now(), nonce }).then(textOf);
  for (const code of [1, 2, 3, 5, 6, 4, 99]) {
    assert.equal(await ask(Uint8Array.of(0x30, 3, 0x0a, 1, code)), "responder_refused");
  }
  assert.equal(await ask(Uint8Array.of(0x30, 3, 0x0a, 1, 0)), "unsupported");
  assert.equal(await ask(new TextEncoder().encode("<html>")), "malformed");
  assert.equal(await ask(new Uint8Array()), "malformed");
  for (let length = 1; length < response.length; length += 7) {
    assert.equal(await ask(response.subarray(0, length)), "malformed");
  }
  for (let index = 0; index < response.length; index += 3) {
    const damaged = response.slice();
    damaged[index]! ^= 0x15;
    const result = await ask(damaged);
    // Certificates after the signature are not covered by it; a damaged one is not used.
    assert(result !== "good" || index > response.length - 700, `byte ${index}: ${result}`);
  }
});

/** Codes of authenticator apps. */

import assert from "node:assert/strict";
import {
  matchingStep,
  newTotpSecret,
  totpCode,
  totpUri,
} from "../../src/domain/accounts/second_factors/authenticator_app.ts";

/** The text "12345678901234567890" of RFC 6238, appendix B, in Base32. */
const SECRET = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ";

Deno.test("codes are those of RFC 6238, appendix B", () => {
  for (
    const [seconds, code] of [
      [59, "287082"],
      [1_111_111_109, "081804"],
      [1_111_111_111, "050471"],
      [1_234_567_890, "005924"],
      [2_000_000_000, "279037"],
      [20_000_000_000, "353130"],
    ] as const
  ) {
    assert.equal(totpCode(SECRET, Math.floor(seconds / 30)), code);
  }
});

Deno.test("a code is accepted one step early or late, not two, and never after a later one", () => {
  const step = 1_000_000;
  const now = step * 30_000 + 12_345;
  for (const [offset, accepted] of [[-2, false], [-1, true], [0, true], [1, true], [2, false]] as const) {
    const code = totpCode(SECRET, step + offset);
    assert.equal(
      matchingStep(SECRET, { code, now, after: 0 }),
      accepted ? step + offset : undefined,
      `${offset}`,
    );
  }
  const code = totpCode(SECRET, step);
  assert.equal(matchingStep(SECRET, { code, now, after: step - 1 }), step);
  assert.equal(matchingStep(SECRET, { code, now, after: step }), undefined);
});

Deno.test("a text that is not six digits is not a code", () => {
  const code = totpCode(SECRET, 1);
  for (const wrong of ["", code.slice(1), `${code}0`, ` ${code.slice(1)}`, "abcdef", "１２３４５６"]) {
    assert.equal(matchingStep(SECRET, { code: wrong, now: 30_000, after: 0 }), undefined, wrong);
  }
});

Deno.test("secrets have 160 random bits in Base32, and a URI that authenticator apps read", () => {
  const secret = newTotpSecret();
  assert.match(secret, /^[A-Z2-7]{32}$/);
  assert.notEqual(secret, newTotpSecret());
  assert.equal(
    totpUri({ secret, account: "ann+1@example.com", issuer: "certs.example.com" }),
    `otpauth://totp/certs.example.com:ann%2B1%40example.com?secret=${secret}&issuer=certs.example.com`,
  );
});

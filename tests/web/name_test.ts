/** The short form of hosts in narrow columns. */

import assert from "node:assert/strict";
import { BreakableName, shortHost } from "../../src/web/kit/components/mod.ts";

const FORMS: readonly (readonly [host: string, short: string | undefined])[] = [
  ["www.aldgate.example", "www.aldgate…"],
  ["www.aldgate.example:443", "www.aldgate…:443"],
  ["www.aldgate.example:8443", "www.aldgate…:8443"],
  ["*.int.aldgate.example", "*.int.aldgate…"],
  ["new.core.int.harborbank.example", "new.core.int.harborbank…"],
  ["www.aldgate.co.uk", "www.aldgate…"],
  // 28 and 29 characters without the top level.
  ["a23456789.b2.meridianhealth.example", "a23456789.b2.meridianhealth…"],
  ["a234567890.b2.meridianhealth.example", "a234567890…meridianhealth.example"],
  ["a234567890.b2.meridianhealth.co.uk:8443", "a234567890…meridianhealth.co.uk:8443"],
  ["a-label-of-more-than-twenty-characters.int.aldgate.example", "a-label-of-more-than…aldgate.example"],
  ["a-label-of-more-than-twenty-characters.example.com", "a-label-of-more-than-twenty-characters.example…"],
  ["aldgate.example", undefined],
  ["a-name-without-labels", undefined],
  ["192.0.2.17:8443", undefined],
  ["[2001:db8::1]:443", undefined],
];

Deno.test("the short form of a host keeps its first label and the domain of its organization, and ends at labels", () => {
  for (const [host, short] of FORMS) assert.equal(shortHost(host), short, host);
});

Deno.test("octets in hexadecimal break after a colon, hosts after a dot, and other texts stay as they are", () => {
  const rendered = (text: string): string => String(BreakableName({ text }));
  assert.equal(rendered("6C:98:2D"), "6C:<wbr>98:<wbr>2D");
  assert.equal(rendered("0a:ff"), "0a:<wbr>ff");
  assert.equal(rendered("a.b.example:443"), "a.<wbr>b.<wbr>example<wbr>:443");
  assert.equal(rendered("Edit \u2068b.example\u2069 (old)"), "Edit \u2068b.<wbr>example\u2069 (old)");
  for (const text of ["", "6C", "6C982D", "6C:98:", "One. Two.", "bücher.example"]) {
    assert.equal(rendered(text), text);
  }
});

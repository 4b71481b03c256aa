import assert from "node:assert/strict";
import { readRequestedName } from "../../src/x509/mod.ts";
import { sanText } from "../../src/x509/inventory.ts";

const LABEL = "a".repeat(63);

const VALID: readonly [text: string, kind: string, value: string][] = [
  ["www.example.com", "dns", "www.example.com"],
  ["WWW.Example.com", "dns", "WWW.Example.com"],
  ["DNS:www.example.com", "dns", "www.example.com"],
  ["*.example.com", "dns", "*.example.com"],
  ["localhost", "dns", "localhost"],
  ["xn--mnchen-3ya.de", "dns", "xn--mnchen-3ya.de"],
  ["_dmarc.example.com", "dns", "_dmarc.example.com"],
  [`${LABEL}.example`, "dns", `${LABEL}.example`],
  [`${LABEL}.${LABEL}.${LABEL}.${"a".repeat(61)}`, "dns", `${LABEL}.${LABEL}.${LABEL}.${"a".repeat(61)}`],
  ["IP:192.0.2.10", "ip", "192.0.2.10"],
  ["ip:2001:DB8:0::10", "ip", "2001:db8::10"],
  ["email:admin@example.com", "email", "admin@example.com"],
  ["URI:https://example.com/a?b=c", "uri", "https://example.com/a?b=c"],
  [
    "uri:urn:uuid:f81d4fae-7dec-11d0-a765-00a0c91e6bf6",
    "uri",
    "urn:uuid:f81d4fae-7dec-11d0-a765-00a0c91e6bf6",
  ],
];

for (const [text, kind, value] of VALID) {
  Deno.test(`the name "${text}" is read as ${kind}`, () => {
    assert.deepEqual(readRequestedName(text), { kind, value });
  });
}

const INVALID: readonly [text: string, message: RegExp][] = [
  ["", /^Invalid DNS name ""\. Use letters/],
  ["www..example.com", /^Invalid DNS name "www\.\.example\.com"\. Use letters/],
  ["www.example.com.", /^Invalid DNS name/],
  ["a b.example", /^Invalid DNS name/],
  ["-a.example", /^Invalid DNS name/],
  ["a-.example", /^Invalid DNS name/],
  ["*", /^Invalid DNS name/],
  ["a.*.example", /^Invalid DNS name/],
  ["w*.example", /^Invalid DNS name/],
  ["example.123", /^Invalid DNS name/],
  [`${LABEL}a.example`, /^Invalid DNS name/],
  [`${LABEL}.${LABEL}.${LABEL}.${"a".repeat(62)}`, /^Invalid DNS name/],
  ["münchen.de", /^Invalid DNS name "münchen\.de"\. Use its ASCII form "xn--mnchen-3ya\.de"\.$/],
  ["192.0.2.10", /^Invalid DNS name "192\.0\.2\.10"\. Write an address as "IP:192\.0\.2\.10"\.$/],
  ["::1", /^Invalid DNS name "::1"\. Write an address as "IP:::1"\.$/],
  ["admin@example.com", /^Invalid DNS name .* Write an e-mail address as "email:admin@example\.com"\.$/],
  ["IP:192.0.2.0/24", /^Invalid IP address "192\.0\.2\.0\/24"\. Use one such as/],
  ["IP:192.0.2.256", /^Invalid IP address/],
  ["IP:", /^Invalid IP address ""/],
  ["email:admin", /^Invalid e-mail address "admin"\. Use one such as admin@example\.com\.$/],
  ["email:ädmin@example.com", /^Invalid e-mail address/],
  ["URI:/path", /^Invalid URI "\/path"\. Use an absolute one/],
  ["URI:https://exa mple/", /^Invalid URI/],
  ["dirName:CN=x", /^Invalid name "dirName:CN=x"\. Use a DNS name, or the prefix IP:, email: or URI:\.$/],
  ["constructor:x", /^Invalid name/],
];

for (const [text, message] of INVALID) {
  Deno.test(`the name ${JSON.stringify(text)} is refused with the correct form`, () => {
    const reading = readRequestedName(text);
    assert.match(typeof reading === "string" ? reading : "read", message);
  });
}

Deno.test("the text that the inventory shows for a name is parsed as that name", () => {
  for (const [text] of VALID) {
    const name = readRequestedName(text);
    assert.ok(typeof name !== "string");
    assert.deepEqual(readRequestedName(sanText({ ...name, content: "" })), name);
  }
});

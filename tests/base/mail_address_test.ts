import assert from "node:assert/strict";
import { asciiMailAddress, isMailAddress } from "../../src/base/mail_address.ts";

for (
  const [address, ascii] of [
    ["ann@acme.example", "ann@acme.example"],
    ["Ann.O'Neil+certs@acme.example", "Ann.O'Neil+certs@acme.example"],
    ["ann@bücher.example", "ann@xn--bcher-kva.example"],
    ["ann@BÜCHER.example", "ann@xn--bcher-kva.example"],
    ["ann@例え.テスト", "ann@xn--r8jz45g.xn--zckzah"],
    ["ann@пример.рф", "ann@xn--e1afmkfd.xn--p1ai"],
    ["ann@post.straße.example", "ann@post.xn--strae-oqa.example"],
    ["ann@xn--bcher-kva.example", "ann@xn--bcher-kva.example"],
  ] as const
) {
  Deno.test(`${address} is an address, and mail goes to ${ascii}`, () => {
    assert.ok(isMailAddress(address));
    assert.equal(asciiMailAddress(address), ascii);
  });
}

for (
  const address of [
    "",
    "ann",
    "@bücher.example",
    "jürgen@acme.example",
    "ann@bücher example",
    "ann@bücher/x",
    "ann@bücher.example:25",
    "ann@[bücher]",
    "ann@ü@acme.example",
    "ann@\u202ebücher.example",
    "ann@bü\u0000cher.example",
    "ann@bücher..example",
    `ann@${"ü".repeat(64)}.example`,
    `ann@${"bücher.".repeat(40)}example`,
    ".ann@bücher.example",
    "ann.@bücher.example",
  ]
) {
  Deno.test(`${JSON.stringify(address.slice(0, 40))} is not an address`, () =>
    assert.ok(!isMailAddress(address)));
}

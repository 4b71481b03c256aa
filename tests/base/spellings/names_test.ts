/** Subject alternative names as programs and people write them. */

import assert from "node:assert/strict";
import { readNames, writeNames } from "../../../src/base/spellings/names.ts";

const TWO = ["a.example", "b.example"];

const CASES: readonly (readonly [text: string, names: readonly string[] | undefined])[] = [
  ["a.example", ["a.example"]],
  ["DNS:a.example", ["a.example"]],
  ["DNS Name=a.example\nDNS Name=b.example", TWO],
  ["DNS-Name=a.example\r\nIP-Adresse=10.0.0.1", ["a.example", "IP:10.0.0.1"]],
  ["DNS:a.example, DNS:b.example, IP Address:10.0.0.1", [...TWO, "IP:10.0.0.1"]],
  ["dns:a.example;ip:10.0.0.1", ["a.example", "IP:10.0.0.1"]],
  ["DNS.1 = a.example\nIP.1 = 2001:db8::1", ["a.example", "IP:2001:db8::1"]],
  ["RFC822 Name=x@a.example, URL=https://a.example/x,y", ["email:x@a.example", "URI:https://a.example/x,y"]],
  ["*.a.example (DNS)", ["*.a.example"]],
  ["10.0.0.1 (IP Address)", ["IP:10.0.0.1"]],
  ["a.example, b.example", TWO],
  ["a.example,b.example,", TWO],
  ["a.example; b.example", TWO],
  ["a.example|b.example", TWO],
  ["a.example b.example", TWO],
  ["a.example\nb.example", TWO],
  ["localhost, srv1", ["localhost", "srv1"]],
  ["\u200ea.example\u00a0", ["a.example"]],
  ['["a.example", "DNS:b.example"]', TWO],
  ["['a.example', 'b.example']", TWO],
  ["['a.example b c']", undefined],
  ["münchen.example", ["münchen.example"]],
  ["IP:2001:db8::1", ["IP:2001:db8::1"]],
  ["[2001:db8::1]", ["[2001:db8::1]"]],
  ["URI:https://a.example/x;y", ["URI:https://a.example/x;y"]],
  ["dirName:CN=a, O=b", ["dirName:CN=a, O=b"]],
  ["DNS:a.example, dirName:CN=b, O=c", ["a.example", "dirName:CN=b, O=c"]],
  ["a.example, CN=b, O=c", undefined],
  ["dns=a.example&dns=b.example", TWO],
  ["DNS:a.example/DNS:b.example", TWO],
  ["a.example<br>b.example", TWO],
  ["DNS:a.example\\nDNS:b.example", TWO],
  ["a.example\uff0cb.example", TWO],
  ["Nom DNS=a.example, Nom DNS=b.example", TWO],
  ["Nombre DNS=a.example\nDirecci\u00f3n IP=10.0.0.1", ["a.example", "IP:10.0.0.1"]],
  ["critical, DNS:a.example, DNS:b.example", TWO],
  ["1. a.example\n2. b.example", TWO],
  ["x@a.example", ["x@a.example"]],
  ["a.example+b.example", undefined],
  ["(('DNS', 'a.example'), ('DNS', 'b.example'))", undefined],
  ["[a.example, b.example]", undefined],
  ["{a.example,b.example}", undefined],
  ['"a.example","b.example"', undefined],
  ['[{"type":"DNS","value":"a.example"}]', undefined],
  ["<a.example>", undefined],
  ["my server", undefined],
  ["a.example and others", undefined],
  ["", []],
];
for (const [text, names] of CASES) {
  Deno.test(`${JSON.stringify(text)} has the names ${names?.join(" and ") ?? "that are not certain"}`, () => {
    assert.deepEqual(readNames(text), names);
  });
}

const CELLS: readonly (readonly [names: readonly string[], cell: string, again?: "refused"])[] = [
  [TWO, "a.example;b.example"],
  [["a.example", "IP:2001:db8::1", "dirName:CN=a, O=b"], "a.example;IP:2001:db8::1;dirName:CN=a, O=b"],
  [["URI:https://a.example/x;y"], '["URI:https://a.example/x;y"]'],
  [["dns:a.example"], '["DNS:dns:a.example"]'],
  // Names of hostile certificates that would be read as others.
  [["a.example;b.example"], '["a.example;b.example"]', "refused"],
  [["a.example, DNS:b.example", "c.example"], '["a.example, DNS:b.example","c.example"]', "refused"],
  [["a.example b.example"], '["a.example b.example"]', "refused"],
  [["a.example\nb.example"], '["a.example\\nb.example"]', "refused"],
  [[" a.example"], '[" a.example"]', "refused"],
  [["\u200ea.example"], '["\u200ea.example"]', "refused"],
  [['["a.example"]'], '["DNS:[\\"a.example\\"]"]', "refused"],
];
for (const [names, cell, again] of CELLS) {
  Deno.test(`${JSON.stringify(names)} is written as ${cell}, which is ${again ?? "read as the same names"}`, () => {
    assert.equal(writeNames(names), cell);
    const texts = cell.startsWith("[") ? [cell] : cell.split(";");
    const read = texts.map((text) => readNames(text));
    assert.deepEqual(read.includes(undefined) ? "refused" : read.flat(), again ?? names);
  });
}

Deno.test("names that a certificate has are not divided, also in a list", () => {
  const known = (name: string): boolean => name === "a.example;b.example";
  assert.deepEqual(readNames("a.example;b.example", known), ["a.example;b.example"]);
  assert.deepEqual(readNames('["a.example;b.example", "DNS:c.example"]', known), [
    "a.example;b.example",
    "c.example",
  ]);
  assert.deepEqual(readNames("a.example;c.example", known), ["a.example", "c.example"]);
});

Deno.test("Long texts without names are read in limited time", () => {
  for (
    const text of [
      "dns ".repeat(16_000),
      "a ".repeat(30_000),
      ",".repeat(64_000),
      "[".repeat(64_000),
      " ".repeat(64_000),
      "x:".repeat(32_000),
      "a-".repeat(32_000),
    ]
  ) {
    const started = performance.now();
    readNames(text);
    assert(performance.now() - started < 200, text.slice(0, 10));
  }
});

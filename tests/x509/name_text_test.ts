/** Distinguished names as people and programs write them. */

import assert from "node:assert/strict";
import { relativeNames } from "../../src/x509/mod.ts";

const READ: readonly [text: string, names: readonly string[]][] = [
  // As a certificate's text has it, RFC 4514, OpenSSL 1.1, OpenSSL's one line, RFC 2253 of GnuTLS, `openssl x509 -issuer`.
  ["C=DE, O=Bugs Ltd, CN=Bugs CA 1", ["C=DE", "O=Bugs Ltd", "CN=Bugs CA 1"]],
  ["CN=Bugs CA 1,O=Bugs Ltd,C=DE", ["CN=Bugs CA 1", "O=Bugs Ltd", "C=DE"]],
  ["C = DE, O = Bugs Ltd, CN = Bugs CA 1", ["C=DE", "O=Bugs Ltd", "CN=Bugs CA 1"]],
  ["/C=DE/O=Bugs Ltd/CN=Bugs CA 1", ["C=DE", "O=Bugs Ltd", "CN=Bugs CA 1"]],
  ["issuer=C = DE, CN = a", ["C=DE", "CN=a"]],
  ["Issuer: CN=a, C=DE", ["CN=a", "C=DE"]],
  ["subject=/C=DE/CN=a", ["C=DE", "CN=a"]],
  // Windows: semicolons, lines, other names of types.
  ["CN=a; O=b", ["CN=a", "O=b"]],
  ["CN=a\r\nO=b\r\nC=DE", ["CN=a", "O=b", "C=DE"]],
  ["E=ca@a.example, S=Berlin, C=DE", ["emailAddress=ca@a.example", "ST=Berlin", "C=DE"]],
  ["cn=a, ou=b, dc=c", ["CN=a", "OU=b", "DC=c"]],
  ["commonName=a, organizationName=b", ["CN=a", "O=b"]],
  ["OID.2.5.4.97=VATDE-1, CN=a", ["organizationIdentifier=VATDE-1", "CN=a"]],
  ["2.5.4.3=a, 2.5.4.10=b", ["CN=a", "O=b"]],
  // Separators, quotes and bytes in values.
  ["O=Acme\\, Inc., CN=a", ["O=Acme\\, Inc.", "CN=a"]],
  ['O="Acme, Inc.", CN=a', ["O=Acme\\, Inc.", "CN=a"]],
  ["/O=Acme, Inc./CN=a/b", ["O=Acme\\, Inc.", "CN=a/b"]],
  ["O=M\\C3\\BCller, C=DE", ["O=Müller", "C=DE"]],
  ["O=a, CN=b + OU=c, C=DE", ["O=a", "CN=b+OU=c", "C=DE"]],
  ["O=a, CN=", ["O=a", "CN="]],
  // No name of two or more parts.
  ["CN=a", []],
  ["a, b", []],
  ["x=1, y=2", []],
  ["CN=a, unknown=b", []],
  ["see CN=a", []],
  ["https://a.example/?cn=a&o=b", []],
  ["", []],
];

for (const [text, names] of READ) {
  Deno.test(`the relative names of ${JSON.stringify(text)} are ${names.join(" | ") || "none"}`, () => {
    assert.deepEqual(relativeNames(text), names);
  });
}

Deno.test("a long hostile text is read in linear time", () => {
  for (const part of ["CN=", ",CN=a", "\\", ", ", "a", '"', "\\C3", "/+;,"]) {
    const start = performance.now();
    relativeNames(`CN=a, O=${part.repeat(64 * 1024 / part.length)}`);
    assert(performance.now() - start < 250, part);
  }
});

/** Lists of endpoints as people and programs write them. */

import assert from "node:assert/strict";
import { textOf } from "../../../src/base/findings.ts";
import { readEndpointDocument } from "../../../src/domain/endpoints/importing/read_document.ts";

/** Returns endpoints as `host:port/protocol`, errors of rows as `!field`, and errors of the document. */
function read(text: string): string[] {
  const { rows, errors } = readEndpointDocument(text);
  return [
    ...errors.map((one) => textOf(one)),
    ...rows.map(({ body: { host, port = "", protocol = "" }, errors }) =>
      errors.map(({ field }) => `!${field}`).join() ||
      `${host}:${port}/${protocol}`.replace(/\/(?:tls)?$/, "")
    ),
  ];
}

const TWO = ["www.a.example:443", "www.b.example:8443"];

const CASES: readonly (readonly [title: string, text: string, expected: readonly string[]])[] = [
  ["the headings Hostname and Port", "Hostname,Port\r\nwww.a.example,443\r\nwww.b.example,8443\r\n", TWO],
  ["German headings and semicolons", "Rechner;Port\nwww.a.example;443\nwww.b.example;8443", TWO],
  [
    "quoted headings with punctuation",
    '"Host name (FQDN)","TLS-Port"\nwww.a.example,443\nwww.b.example,8443',
    TWO,
  ],
  ["a first line with the separator", "sep=;\nHost;Port\nwww.a.example;443\nwww.b.example;8443", TWO],
  ["a server name without a host", "Server name\tPort\nwww.a.example\t443\nwww.b.example\t8443", TWO],
  ["a heading alone", "Hostname\nwww.a.example\nwww.b.example", ["www.a.example:", "www.b.example:"]],
  ["ports in the cells of the host", "URL,Port\nhttps://www.a.example/x,443\nwww.b.example:8443,", TWO],
  ["no headings and commas", "www.a.example,443\nwww.b.example,8443", TWO],
  [
    "no headings and tabs, spaces or semicolons",
    "www.a.example\t443\nwww.b.example  8443\nc.example;25;smtp",
    [
      ...TWO,
      "c.example:25/smtp",
    ],
  ],
  ["quoted cells without headings", '"www.a.example","443"\n"www.b.example","8443"', TWO],
  ["several endpoints on a line", "www.a.example, www.b.example:8443,localhost", [...TWO, "localhost:443"]],
  ["an IPv6 address with its port in a cell", "2001:db8::1,8443", ["2001:db8::1:8443"]],
  ["a port after an endpoint with another port", "www.a.example:443,8443", ["!host"]],
  ["a port alone", "8443", ["!host"]],
  ["a port that does not exist", "www.a.example,99999", ["!host"]],
  ["a description after the host", "www.a.example the main site", ["!host"]],
  ["unknown headings", "Anlage,Anschluss\nwww.a.example,443", [
    'The first line "Anlage,Anschluss" is neither an endpoint nor headings with "host".',
  ]],
  ...["Hosts", "URLs", "Servers", "FQDNs", "CN", "Website", "VIP", "Serveur"].map((heading) =>
    [`the heading ${heading}`, `${heading}\nwww.b.example:8443\n`, ["www.b.example:8443"]] as const
  ),
  ...["Dom\u00e4nen", "\u4e3b\u673a\u540d", "\u0425\u043e\u0441\u0442", "Zielsystem"].map((heading) =>
    [`the unknown heading ${heading}`, `${heading}\nwww.b.example:8443\n`, [
      `The first line "${heading}" is neither an endpoint nor headings with "host".`,
    ]] as const
  ),
  ["a port before the host", "8443,www.b.example", ["!host"]],
  ["a word after the port", "www.b.example,8443,production", ["!host"]],
  ["a word after the host", "www.b.example,web", ["!host"]],
  ["a cell after the protocol", "www.b.example,443,tls,web", ["!host"]],
  ["names without dots", "srv1,srv2\nsrv3", ["srv1:443", "srv2:443", "srv3:443"]],
];
for (const [title, text, expected] of CASES) {
  Deno.test(`A list of endpoints with ${title} is read as ${expected.join(" ")}`, () => {
    assert.deepEqual(read(text), expected);
  });
}

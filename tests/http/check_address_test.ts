/** Which URLs requests may be sent to, checked when a URL is saved. */

import { textOf } from "../../src/base/findings.ts";
import assert from "node:assert/strict";
import { checkTarget, parseAllowedHosts, PUBLIC_ONLY } from "../../src/http/mod.ts";

const PUBLIC = [
  "https://hooks.example.com/x?y=z",
  "http://hooks.example.com:8080/",
  "https://8.8.8.8/",
  "https://172.15.255.255/",
  "https://172.32.0.0/",
  "https://100.63.255.255/",
  "https://100.128.0.0/",
  "https://192.167.1.1/",
  "https://[2606:4700::1111]/",
  "https://localhost.example.com/",
  "https://münchen.example/",
  "https://hooks.example.com:1/",
  "https://hooks.example.com:65535/",
  `https://${"a".repeat(63)}.example./`,
  `https://${`${"a".repeat(49)}.`.repeat(5)}abc/`,
];

for (const url of PUBLIC) {
  Deno.test(`requests to ${url} are allowed`, () => assert.equal(checkTarget(url, PUBLIC_ONLY), undefined));
}

const REFUSED: readonly (readonly [url: string, reason: RegExp])[] = [
  ["", /valid URL/],
  ["hooks.example.com", /valid URL/],
  [`https://hooks.example.com/${"x".repeat(2_000)}`, /valid URL/],
  ["ftp://hooks.example.com/", /http and https/],
  ["file:///etc/passwd", /http and https/],
  ["javascript:alert(1)", /http and https/],
  ["https://user@hooks.example.com/", /user name or password/],
  ["https://:secret@hooks.example.com/", /user name or password/],
  ["https://hooks.example.com:0/", /port 0\. Use a port from 1 to 65535/],
  ["https://8.8.8.8:000/", /port 0/],
  [
    `https://${"a".repeat(64)}.example/`,
    /^The part "a{20}…" of the host has 64 characters\. Expected at most 63\.$/,
  ],
  [`https://hooks.${"é".repeat(62)}/`, /^The part "xn--/],
  [
    `https://${`${"a".repeat(49)}.`.repeat(5)}abcd/`,
    /^The host has 254 characters\. Expected at most 253\.$/,
  ],
  // One address in every form that a URL parser accepts.
  ["http://127.0.0.1/", /loopback/],
  ["http://127.1/", /loopback/],
  ["http://2130706433/", /loopback/],
  ["http://0x7f.0.0.1/", /loopback/],
  ["http://0177.0.0.1/", /loopback/],
  ["http://127.0.0.1./", /loopback/],
  ["http://①②⑦.0.0.1/", /loopback/],
  ["http://127%2e0.0.1/", /loopback/],
  ["http://127.255.255.254/", /loopback/],
  ["http://[::1]/", /loopback/],
  ["http://[0:0:0:0:0:0:0:1]/", /loopback/],
  ["http://0.0.0.0/", /unspecified/],
  ["http://0/", /unspecified/],
  ["http://[::]/", /unspecified/],
  ["http://10.0.0.1/", /private/],
  ["http://172.16.0.1/", /private/],
  ["http://172.31.255.255/", /private/],
  ["http://192.168.1.1/", /private/],
  ["http://[fc00::1]/", /private/],
  ["http://[fd00:ec2::254]/", /private/],
  ["http://[fec0::1]/", /private/],
  ["http://169.254.169.254/latest/meta-data/", /link-local/],
  ["http://[fe80::1]/", /link-local/],
  ["http://100.64.0.1/", /carrier/],
  ["http://100.100.100.200/", /carrier/],
  ["http://168.63.129.16/", /metadata/],
  ["http://224.0.0.1/", /multicast/],
  ["http://[ff02::1]/", /multicast/],
  ["http://192.0.2.1/", /reserved/],
  ["http://198.18.0.1/", /reserved/],
  ["http://240.0.0.1/", /reserved/],
  ["http://255.255.255.255/", /reserved/],
  ["http://[2001:db8::1]/", /reserved/],
  ["http://[4000::1]/", /reserved/],
  ["http://[::ffff:127.0.0.1]/", /loopback/],
  ["http://[::ffff:a00:1]/", /private/],
  ["http://[::ffff:8.8.8.8]/", /embeds an IPv4 address/],
  ["http://[::ffff:0:7f00:1]/", /embeds an IPv4 address/],
  ["http://[::127.0.0.1]/", /embeds an IPv4 address/],
  ["http://[64:ff9b::7f00:1]/", /embeds an IPv4 address/],
  ["http://[64:ff9b:1::a00:1]/", /embeds an IPv4 address/],
  ["http://[2002:7f00:1::]/", /embeds an IPv4 address/],
  ["http://[2001:0:7f00:1::]/", /embeds an IPv4 address/],
  ["http://localhost/", /this machine/],
  ["http://LOCALHOST./", /this machine/],
  ["http://a.localhost:8000/", /this machine/],
  ["http://localhost.localdomain/", /this machine/],
  ["http://ip6-localhost/", /this machine/],
  ["http://metadata.google.internal/", /metadata/],
];

for (const [url, reason] of REFUSED) {
  Deno.test(`${url.slice(0, 60) || "an empty text"} is refused`, () => {
    const refused = checkTarget(url, PUBLIC_ONLY);
    assert.match(refused === undefined ? "allowed" : textOf(refused), reason);
  });
}

const EXCEPTIONS: readonly (readonly [allowed: string, may: readonly string[], mayNot: readonly string[]])[] =
  [
    ["127.0.0.1", ["http://127.0.0.1:9/", "http://localhost:9/", "http://[::ffff:127.0.0.1]/"], [
      "http://127.0.0.2/",
    ]],
    ["10.0.0.0/8", ["http://10.255.0.1/"], [
      "http://11.0.0.1.localhost/",
      "http://192.168.0.1/",
      "http://localhost/",
    ]],
    ["localhost", ["http://localhost/", "http://LocalHost./"], ["http://127.0.0.1/", "http://a.localhost/"]],
    ["::1", ["http://[::1]/"], ["http://127.0.0.1/"]],
    ["fd00::/8", ["http://[fd12::1]/"], ["http://[fc12::1]/"]],
  ];

for (const [allowed, may, mayNot] of EXCEPTIONS) {
  Deno.test(`allowing ${allowed} allows it and nothing else`, () => {
    const exceptions = parseAllowedHosts([allowed]);
    for (const url of may) assert.equal(checkTarget(url, exceptions), undefined, url);
    for (const url of mayNot) assert.notEqual(checkTarget(url, exceptions), undefined, url);
    assert.notEqual(checkTarget("ftp://127.0.0.1/", exceptions), undefined);
    assert.notEqual(checkTarget("http://u:p@localhost/", exceptions), undefined);
  });
}

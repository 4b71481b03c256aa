/** Web URLs: the stored text is the URL that is used. */

import { textOf } from "../../src/base/findings.ts";
import assert from "node:assert/strict";
import { databaseLocation } from "../../src/config/database_url.ts";
import { webOrigin } from "../../src/config/parsers.ts";
import { webUrlFault } from "../../src/base/web_url.ts";
import { checkTarget, PUBLIC_ONLY } from "../../src/http/mod.ts";
import { resources } from "../../src/domain/registry.ts";

const GOOD = [
  "https://hooks.example/path?a=b#c",
  "HTTP://hooks.example:8080",
  "https://[2001:db8::1]/",
  "https://bücher.example/straße",
];

const BAD: readonly (readonly [string, RegExp])[] = [
  ...["\r\n", "\n", "\t", " ", "\x01", "\x7f", "\x85", "\u00a0", "\u2028", "\\"].flatMap((sign) =>
    [`https://hooks.example/a${sign}b`, `https://hooks${sign}.example/`, `https:${sign}//hooks.example/`].map(
      (url) => [url, /spaces, backslashes or control characters/] as const,
    )
  ),
  ["https:///path", /a host after/],
  ["https:hooks.example", /a host after/],
  ["https:/hooks.example", /a host after/],
  ["https://", /valid URL/],
  ["https://?x", /valid URL/],
  ["https://:443/", /valid URL/],
  ["hooks.example", /valid URL/],
  ["ftp://hooks.example/", /http and https/],
  ["javascript:alert(1)", /http and https/],
];

Deno.test("URLs with a host are accepted unchanged", () => {
  for (const url of GOOD) {
    assert.equal(webUrlFault(url), undefined, url);
    assert.equal(checkTarget(url.replace("[2001:db8::1]", "[2606:4700::1]"), PUBLIC_ONLY), undefined, url);
  }
});

Deno.test("URLs that a parser would change are refused in every field and setting", () => {
  const fields = resources.flatMap((resource) =>
    ["website_url", "portal_url", "source_url", "acme_directory_url"].flatMap((name) =>
      resource.fields[name]?.input ?? []
    )
  );
  assert.equal(fields.length, 4);
  for (const [url, fault] of BAD) {
    const found = webUrlFault(url);
    assert.match(found === undefined ? "" : textOf(found), fault, JSON.stringify(url));
    assert.notEqual(checkTarget(url, PUBLIC_ONLY), undefined, JSON.stringify(url));
    assert.throws(() => webOrigin(url), JSON.stringify(url));
    assert.throws(() => databaseLocation(url), JSON.stringify(url));
    for (const field of fields) assert.equal(field.safeParse(url).success, false, JSON.stringify(url));
  }
});

Deno.test("every URL field and setting is tested here", () => {
  const names = resources.flatMap((resource) =>
    Object.values(resource.fields).filter(({ name, readOnly, input }) =>
      /(^|_)url$/.test(name) && !readOnly && input !== undefined
    ).map(({ name }) => name)
  );
  assert.deepEqual([...new Set(names)].sort(), [
    "acme_directory_url",
    "payload_url",
    "portal_url",
    "source_url",
    "website_url",
  ]);
});

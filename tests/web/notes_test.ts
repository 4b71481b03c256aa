/** Texts that people write about objects: Markdown without HTML, owners, custom fields. */

import assert from "node:assert/strict";
import { Markdown } from "../../src/web/kit/components/mod.ts";
import { testApp } from "../support/app.ts";
import { callJson } from "../support/call_json.ts";
import { certificate, PATHS } from "../support/paths.ts";
import { seed } from "../support/seed.ts";
import { browserOf } from "./imports/browser.ts";
import { cpuMillis } from "../support/cpu_time.ts";

const { certificates: ids } = seed;

async function html(text: string): Promise<string> {
  return String(await Markdown({ text }));
}

for (
  const [what, text, expected] of [
    ["emphasis", "*a* **b** `c`", "<p><em>a</em> <strong>b</strong> <code>c</code></p>"],
    ["lists", "- a\n- b", "<ul>\n<li>a</li>\n<li>b</li>\n</ul>"],
    ["tables", "|a|\n|-|\n|b|", "<table>"],
    [
      "links",
      "[a](https://x.example/)",
      '<a href="https://x.example/" rel="noopener noreferrer nofollow">a</a>',
    ],
    ["mail links", "[a](mailto:a@x.example)", '<a href="mailto:a@x.example"'],
    ["HTML as text", "<b onclick=x>a</b>", "&lt;b onclick=x&gt;a&lt;/b&gt;"],
    ["HTML blocks as text", "<script>alert(1)</script>", "&lt;script&gt;alert(1)&lt;/script&gt;"],
  ] as const
) {
  Deno.test(`Markdown renders ${what}`, async () => {
    assert.ok((await html(text)).includes(expected), await html(text));
  });
}

for (
  const text of [
    "[a](javascript:alert(1))",
    "[a](JaVaScRiPt:alert(1))",
    "[a](data:text/html,x)",
    "[a](&#106;avascript:alert(1))",
    "[a](//evil.example)",
    "[a](/users/1/delete/)",
    "<javascript:alert(1)>",
    "[a]: vbscript:x\n\n[a]",
  ]
) {
  Deno.test(`Markdown does not render a link for ${JSON.stringify(text)}`, async () => {
    assert.doesNotMatch(await html(text), /<a\b/);
  });
}

Deno.test("Markdown loads no images", async () => {
  assert.doesNotMatch(await html("![a](https://x.example/y.png)"), /<img/);
});

Deno.test("Markdown of hostile texts is rendered quickly", async () => {
  for (
    const piece of [">", "[", "*a_", "![](", "<", "- ", "a|", "[a](<", "1. ", "> - ", "a**b", "`a``b", "|\n"]
  ) {
    const from = cpuMillis();
    await html(piece.repeat(10_000 / piece.length));
    assert.ok(cpuMillis() - from < 2_000, piece);
  }
});

Deno.test("pages show owner, comments, renewal notes and custom fields", async () => {
  await using app = await testApp();
  const client = await app.as("superuser");
  await callJson(client, PATHS.customFields, "POST", {
    name: "cost_center",
    type: "text",
    object_types: ["certmgr.certificate"],
  });
  await callJson(client, certificate(ids.acmeWeb), "PATCH", {
    comments: "See *the* wiki <i>",
    renewal_note: "Ask **Bob**",
    custom_fields: { cost_center: "4711" },
    archived: true,
  });
  const browser = await browserOf(app);
  const page = (await browser.get(`/certificates/${ids.acmeWeb}/`)).html;
  for (const part of ["<em>the</em>", "&lt;i&gt;", "<strong>Bob</strong>", "Web team", "4711", "archived"]) {
    assert.ok(page.includes(part), part);
  }
  const authority = `${PATHS.authorities}${seed.authorities.internal}/`;
  await callJson(client, authority, "PATCH", {
    portal_url: "https://pki.example/",
    instructions: "Use `form 7`",
  });
  const { issuing_ca } = await (await client(certificate(ids.acmeWeb))).json();
  const renew = (await browser.get(`/certificates/${ids.acmeWeb}/renew/`)).html;
  assert.ok(renew.includes("<strong>Bob</strong>"));
  if (issuing_ca?.id === seed.authorities.internal) {
    assert.ok(renew.includes("<code>form 7</code>") && renew.includes("https://pki.example/"));
  }
  const contact = (await browser.get(`/contacts/${seed.contacts.web}/`)).html;
  assert.ok(contact.includes(`/certificates/?show=all&amp;owner=${seed.contacts.web}`));
  const owned = (await browser.get(`/certificates/?owner=${seed.contacts.web}&archived=any`)).html;
  assert.ok(owned.includes("www.acme.example"));
});

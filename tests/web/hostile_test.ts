/** Hostile names are shown as text on every page, and long ones are truncated. */

import assert from "node:assert/strict";
import { resources } from "../../src/domain/registry.ts";
import { listPath } from "../../src/web/paths.ts";
import { updateObject } from "../../src/resource/mod.ts";
import { testApp } from "../support/app.ts";
import { browserOf } from "./imports/browser.ts";

const MARKUP = `</title><script>alert(1)</script>"'><img src=x onerror=alert(1)>`;
const TURNED = "\u202egnp.elif\u202c\u2066x";
const LONG = "long ".repeat(13_107).trim();

/** Fields that name objects. */
const NAMED: readonly (readonly [objectType: string, field: string])[] = [
  ["certmgr.certificate", "common_name"],
  ["certmgr.certificate", "issuer"],
  ["certmgr.certificateauthority", "name"],
  ["certmgr.certificateauthority", "issuer_pattern"],
  ["certmgr.certificateassignment", "notes"],
  ["certmgr.certificatesigningrequest", "common_name"],
  ["certmgr.compliancepolicy", "name"],
  ["tenancy.tenant", "name"],
  ["extras.tag", "name"],
  ["dcim.device", "name"],
  ["virtualization.virtualmachine", "name"],
  ["ipam.service", "name"],
  ["users.group", "name"],
  ["users.objectpermission", "name"],
  ["extras.webhook", "name"],
];

/** Pages that may show an object's name: its own, and those of objects that refer to it. */
const SHOWING = [
  "/",
  "/certificates/1/",
  "/certificates/new/",
  "/assignments/",
  "/assignments/1/",
  "/assignments/new/",
]
  .concat(
    "/checks/",
    "/checks/1/",
    "/compliance/",
    "/changes/?show=all",
    "/changes/?show=all&ordering=-id",
    "/webhook-deliveries/1/",
  )
  .concat("/permissions/1/", "/services/1/", "/services/1/edit/", "/csrs/3/", "/certificates/1/renew/");

for (const [what, value] of [["markup", MARKUP], ["marks of direction", TURNED]] as const) {
  Deno.test(`Names with ${what} are text on every page`, async () => {
    await using app = await testApp();
    const browser = await browserOf(app);
    const own: string[] = [];
    for (const [objectType, field] of NAMED) {
      const resource = resources.find((one) => one.objectType === objectType) as typeof resources[number];
      const ids = objectType === "certmgr.certificate" ? [2] : [1];
      for (const id of ids) {
        app.clock.advance(1_000);
        await updateObject({ ctx: app.ctx, resource, id, input: { [field]: value }, mode: "patch" });
        const base = listPath(resource);
        own.push(base, `${base}${id}/`, `${base}${id}/edit/`, `${base}${id}/delete/`);
      }
    }
    let seen = 0;
    for (const path of new Set([...own, ...SHOWING])) {
      const { status, html } = await browser.get(path);
      assert.equal(status, 200, path);
      assert.doesNotMatch(html, /<script>|<img src=x|"'>/, path);
      assert.equal(html.split("</head>")[0]?.match(/<\/title>/g)?.length, 1, path);
      if (html.includes("&lt;script&gt;alert") || html.includes(TURNED)) seen++;
      // In a list or a table of properties a name is isolated from the text next to it.
      if (/\/\d+\/$|[a-z]\/$/.test(path) && !/(edit|delete|new)\/$/.test(path)) {
        assert.doesNotMatch(
          html.replaceAll(/<bdi>[^<]*<\/bdi>/g, ""),
          /<td[^>]*>[^<]*\u202e|<dd>[^<]*\u202e/,
          path,
        );
      }
    }
    assert(seen > 40, `${seen} pages`);
  });
}

Deno.test("A name of 64 KB is truncated in lists, titles and choices, and complete on its page and form", async () => {
  await using app = await testApp();
  const browser = await browserOf(app);
  const resource = resources.find((one) =>
    one.objectType === "certmgr.certificate"
  ) as typeof resources[number];
  const input = { common_name: LONG, issuer: LONG };
  await updateObject({ ctx: app.ctx, resource, id: 3, input, mode: "patch" });
  const lists = [
    "/certificates/",
    "/compliance/",
    "/checks/",
    "/changes/?show=all&ordering=-id",
    "/",
    "/assignments/new/",
  ];
  for (const path of [...lists, "/certificates/3/delete/"]) {
    const { status, html } = await browser.get(path);
    assert.equal(status, 200, path);
    assert(html.includes(LONG.slice(0, 60)) || path === "/", path);
    assert(html.length < 100_000 && !html.includes(LONG), `${path}: ${html.length} characters`);
  }
  for (const path of ["/certificates/3/", "/certificates/3/edit/"]) {
    const { status, html } = await browser.get(path);
    assert.equal(status, 200, path);
    assert(html.includes(LONG), path);
    const title = /<title>(.*?)<\/title>/.exec(html)?.[1] as string;
    assert(title.length < 300, `${path}: a title of ${title.length} characters`);
  }
});

Deno.test("A text of 64 KB that is too long for its field is shown again with the reason", async () => {
  await using app = await testApp();
  const browser = await browserOf(app);
  const { status, html } = await browser.post("/tags/new/", { name: LONG, slug: "long" });
  assert.equal(status, 400);
  assert.match(html, /id="f-name-error"/);
  assert(html.includes(`value="${LONG}"`));
});

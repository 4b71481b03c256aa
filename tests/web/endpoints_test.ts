/** The pages of endpoints: adding names by pasting, the tile of the dashboard. */

import assert from "node:assert/strict";
import { granted } from "../support/actors.ts";
import { testApp } from "../support/app.ts";
import { presenting } from "../domain/endpoints/support.ts";
import { TestCa } from "../support/test_ca/mod.ts";
import { browserOf } from "./imports/browser.ts";

Deno.test("pasted names become endpoints, and a name that is none adds nothing and is quoted", async () => {
  await using app = await testApp();
  const browser = await browserOf(app);
  const bad = await browser.post("/endpoints/import/", { names: "a.paste.example\nb c" });
  assert.equal(bad.status, 400);
  assert.match(bad.html, /Expected a host with an optional port and protocol.*b c/);
  assert.match(bad.html, /Line 2: /);
  assert.doesNotMatch((await browser.get("/endpoints/?q=paste")).html, /a\.paste\.example/);
  const good = await browser.post("/endpoints/import/", {
    names:
      "a.paste.example\r\nhttps://b.paste.example/x, mail.paste.example/smtp\n\na.paste.example\nwww.acme.example",
  });
  assert.equal(good.status, 303);
  const { html } = await browser.get("/endpoints/?q=paste");
  for (const name of ["a.paste.example:443", "b.paste.example:443", "mail.paste.example:25 (smtp)"]) {
    assert.ok(html.includes(name), name);
  }
});

Deno.test("a pasted table becomes endpoints, and an error names the line and the column", async () => {
  await using app = await testApp();
  const browser = await browserOf(app);
  const bad = await browser.post("/endpoints/import/", { names: "host,port\na.table.example,0" });
  assert.equal(bad.status, 400);
  assert.match(bad.html, /Line 1: port: /);
  const good = await browser.post("/endpoints/import/", { names: "host,port\na.table.example,8443" });
  assert.equal(good.status, 303);
  assert.ok((await browser.get("/endpoints/?q=table")).html.includes("a.table.example:8443"));
});

Deno.test("names cannot be pasted without the permission to add endpoints", async () => {
  await using app = await testApp();
  const browser = await browserOf(app, granted([{ types: ["certmgr.endpoint"], actions: ["view"] }]));
  assert.equal((await browser.get("/endpoints/import/")).status, 403);
  assert.equal((await browser.post("/endpoints/import/", { names: "a.example" })).status, 403);
});

Deno.test("the map shows certificates with their endpoints and objects, as far as the user may view them", async () => {
  const root = await TestCa.root({ cn: "Map" });
  const leaf = await root.issue({ cn: "a.map.example", sans: ["a.map.example", "b.map.example"] });
  await using app = await testApp({
    probe: () => Promise.resolve([presenting([leaf, root])]),
  });
  const browser = await browserOf(app);
  const makes = granted([{ types: ["certmgr.endpoint", "dcim.device"], actions: ["view", "add"] }]);
  const maker = await app.as({ ...makes, username: "maker" });
  for (const host of ["a.map.example", "b.map.example"]) {
    const assigned = { assigned_object_type: "dcim.device", assigned_object_id: 1 };
    const response = await maker("/api/plugins/certmgr/endpoints/", {
      method: "POST",
      body: { host, ...assigned },
    });
    const { id } = await response.json();
    assert.equal((await browser.post(`/endpoints/${id}/probe/`)).status, 303);
  }
  const { html } = await browser.get("/endpoints/map/?q=map.example");
  const [row, ...more] = html.split("<tr").filter((one) => one.includes("map.example:443"));
  assert.deepEqual(more, []);
  assert.match(row ?? "", /a\.map\.example \(expires.*a\.map\.example:443.*→.*b\.map\.example:443.*→/s);
  const few = granted([{ types: ["certmgr.endpoint"], actions: ["view"] }]);
  const others = await browserOf(app, { ...few, username: "few" });
  const hidden = (await others.get("/endpoints/map/?q=map.example")).html;
  assert.match(hidden, /a\.map\.example:443/);
  assert.doesNotMatch(hidden, /\(expires|→/);
  const strangers = await browserOf(app, granted([{ types: ["certmgr.certificate"], actions: ["view"] }]));
  assert.equal((await strangers.get("/endpoints/map/")).status, 403);
});

Deno.test("the dashboard counts endpoints in trouble, for those who may view endpoints", async () => {
  await using app = await testApp({
    probe: () =>
      Promise.resolve([{
        address: "192.0.2.1",
        latencyMs: null,
        failure: { kind: "unreachable", message: "The connection was refused." },
      }]),
  });
  const browser = await browserOf(app);
  const tile = /<strong>(\d+)<\/strong><span class="tile-note">serve a wrong/;
  assert.equal(tile.exec((await browser.get("/")).html)?.[1], "0");
  assert.equal((await browser.post("/endpoints/1/probe/")).status, 303);
  assert.equal(tile.exec((await browser.get("/")).html)?.[1], "1");
  const others = await browserOf(app, granted([{ types: ["certmgr.certificate"], actions: ["view"] }]));
  assert.doesNotMatch((await others.get("/")).html, /serve a wrong/);
});

/** The pages of endpoints: adding names by pasting, the tile of the dashboard. */

import assert from "node:assert/strict";
import { sql } from "drizzle-orm";
import { granted } from "../support/actors.ts";
import { testApp } from "../support/app.ts";
import { presenting, probed, type Site, startSite, UNREACHABLE } from "../domain/endpoints/support.ts";
import { TestCa } from "../support/test_ca/mod.ts";
import { workbook } from "../support/workbook.ts";
import { browserOf, textOf } from "./imports/browser.ts";

/** Names have tags where they may be truncated or broken. */
const withoutTags = (html: string): string => html.replaceAll(/<\/?span[^>]*>|<wbr>/g, "");

Deno.test("pasted names are previewed row by row, and become endpoints when that is confirmed", async () => {
  await using app = await testApp();
  const browser = await browserOf(app);
  const bad = await browser.post("/endpoints/import/", { names: "a.paste.example\nb c" });
  assert.equal(bad.status, 200);
  assert.match(textOf(bad.html), /1 can be imported 1 has errors/);
  assert.match(textOf(bad.html), /2 +error Expected a host with an optional port and protocol.*b c/);
  assert.match(bad.html, /Add the 1 good/);
  const names =
    "a.paste.example\r\nhttps://b.paste.example/x, mail.paste.example/smtp\n\na.paste.example\nwww.acme.example";
  assert.match(textOf((await browser.post("/endpoints/import/", { names })).html), /Add 3 endpoints/);
  assert.match(
    (await browser.post("/endpoints/import/", { names, edit: "1" })).html,
    /mail\.paste\.example\/smtp/,
  );
  assert.doesNotMatch((await browser.get("/endpoints/?q=paste")).html, /a\.paste\.example/);
  const good = await browser.post("/endpoints/import/", { names, confirm: "1" });
  assert.equal(good.status, 303);
  assert.match(good.location, /^\/endpoints\/\?(?:id=\d+&?){3}$/, "the list of exactly these");
  const { html } = await browser.get(good.location);
  for (const name of ["a.paste.example:443", "b.paste.example:443", "mail.paste.example:25 (smtp)"]) {
    assert.ok(withoutTags(html).includes(name), name);
  }
});

Deno.test("a pasted table becomes endpoints, and an error names the line and the column", async () => {
  await using app = await testApp();
  const browser = await browserOf(app);
  const bad = await browser.post("/endpoints/import/", { names: "host,port\na.table.example,0" });
  assert.match(textOf(bad.html), /1 +a\.table\.example +error Port: /);
  const sheet = workbook([["Our servers"], ["Host", "Port", "Interval", "Last probed"], [
    "a.table.example",
    8443,
    60,
    "x",
  ]]);
  for (
    const file of [sheet, new TextEncoder().encode("Host,Port,Interval,State\na.table.example,8443,60,ok")]
  ) {
    const { html } = await browser.postFiles("/endpoints/import/", "file", [new File([file], "table")]);
    assert.match(textOf(html), /a\.table\.example:8443 +new/);
  }
  const good = await browser.post("/endpoints/import/", {
    names: "Host,Port,Interval\na.table.example,8443,60",
    confirm: "1",
  });
  assert.equal(good.status, 303);
  const { html } = await browser.get("/endpoints/?q=table");
  assert.ok(withoutTags(html).includes("a.table.example:8443"));
});

Deno.test("the interval of an endpoint is a number with a unit", async () => {
  await using app = await testApp();
  const browser = await browserOf(app);
  const input = { host: "interval.example", port: "443", protocol: "tls", enabled: "true" };
  const shown = async (interval: string): Promise<string | undefined> => {
    const made = await browser.post("/endpoints/new/", {
      ...input,
      server_name: `${interval.replaceAll(/\W/g, "")}.example`,
      interval_minutes: interval,
    });
    if (made.status === 400) return undefined;
    assert.equal(made.status, 303);
    const { html } = await browser.get(`${made.location}edit/`);
    return /name="interval_minutes"[^>]*value="([^"]*)"/.exec(html)?.[1];
  };
  assert.equal(await shown("7 days"), "7 days");
  assert.equal(await shown("36h"), "36 hours");
  assert.equal(await shown("24 hours"), "1 day");
  assert.equal(await shown("90"), "90 minutes");
  for (const wrong of ["7 weeks", "90 s", "soon", "1 minute"]) {
    assert.equal(await shown(wrong), undefined, wrong);
  }
});

Deno.test("names cannot be pasted without the permission to add endpoints", async () => {
  await using app = await testApp();
  const browser = await browserOf(app, granted([{ types: ["certmgr.endpoint"], actions: ["view"] }]));
  assert.equal((await browser.get("/endpoints/import/")).status, 403);
  assert.equal((await browser.post("/endpoints/import/", { names: "a.example" })).status, 403);
});

Deno.test("the endpoints of a certificate are below each other, as far as the user may view it", async () => {
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
  const group = /<tr class="group">.*?<\/tbody>/s.exec(withoutTags(html))?.[0] ?? "";
  assert.match(group, /href="\/certificates\/\d+\/".*>a\.map\.example<.*2 endpoints/);
  for (const host of ["a.map.example:443", "b.map.example:443"]) assert.ok(group.includes(host), host);
  assert.match(html, /Needs attention<span class="count">2<.*>All<span class="count">2</s);
  const few = granted([{ types: ["certmgr.endpoint"], actions: ["view"] }]);
  const others = await browserOf(app, { ...few, username: "few" });
  const hidden = (await others.get("/endpoints/map/?q=map.example")).html;
  assert.match(withoutTags(hidden), /a\.map\.example:443/);
  assert.doesNotMatch(hidden, /\/certificates\/\d/);
  const strangers = await browserOf(app, granted([{ types: ["certmgr.certificate"], actions: ["view"] }]));
  assert.equal((await strangers.get("/endpoints/map/")).status, 403);
});

const WAYS = ["unknown", "wrong", "refused", "away", "expiring", "fine"] as const;

/** Starts an application in which unknown certificates become pending, with an endpoint of each kind. */
async function startMixed(): Promise<Site> {
  const probing = { allowedNetworks: [], concurrency: 8, discover: "pending", retentionDays: 400 } as const;
  const site = await startSite({ settings: { probing } });
  const { ca, servers, ask } = site;
  for (const way of WAYS) {
    const host = `${way}.tile.example`;
    const names = way === "wrong" ? { cn: "other.example" } : { cn: host };
    const leaf = await ca.issue({ ...names, ...(way === "expiring" ? { notAfter: "2026-06-25" } : {}) });
    if (way !== "unknown") await ask("certificates/import/", { pem_content: leaf.pem });
    servers.serve(host, [leaf, ca]);
    if (way === "away") servers.answer(host, UNREACHABLE);
    const failure = { kind: "tls_error", message: "The server refused the handshake." } as const;
    if (way === "refused") servers.answer(host, { ...UNREACHABLE, failure });
    await probed(site, host);
  }
  return site;
}

function hostsIn(html: string): string[] {
  return [...withoutTags(html).matchAll(/<bdi[^>]*>([a-z]+)\.tile\.example:443<\/bdi>/g)].map((
    [, way = ""],
  ) => way);
}

Deno.test("the dashboard counts unknown, wrong and expiring endpoints, and each number links to what it counts", async () => {
  await using site = await startMixed();
  const browser = await browserOf(site.app);
  const numbers = async (): Promise<Record<string, [count: number, path: string]>> => {
    const { html } = await browser.get("/");
    const found = html.matchAll(/<a href="([^"]+problem=[^"]+)">(\d+) (\w+)<\/a>/g);
    return Object.fromEntries(
      [...found].map(([, path = "", count, label]) => [label, [Number(count), path]]),
    );
  };
  const shown = await numbers();
  assert.deepEqual(Object.entries(shown).map(([label, [count]]) => [label, count]), [
    ["unknown", 1],
    ["wrong", 3],
    ["expiring", 1],
  ]);
  const lists: Record<string, string[]> = {};
  for (const [label, [, path]] of Object.entries(shown)) {
    lists[label] = hostsIn((await browser.get(path)).html);
  }
  assert.deepEqual(lists, {
    unknown: ["unknown"],
    wrong: ["away", "refused", "wrong"],
    expiring: ["expiring"],
  });
  const { html } = await browser.get("/");
  assert.ok(html.indexOf("problem=") < html.indexOf('id="next"'), "The tile is above the lists");
  // An unknown certificate stays unknown when another state is worse.
  site.servers.serve("unknown.tile.example", [await site.ca.issue({ cn: "nobody.example" }), site.ca]);
  await site.ask("endpoints/import/", { content: "unknown.tile.example:8443" });
  const [added] = (await site.ask("endpoints/?port=8443")).results as { id: number }[];
  assert.equal((await site.ask(`endpoints/${added?.id}/probe/`, {})).state, "name_mismatch");
  assert.deepEqual((await numbers()).unknown?.[0], 2);
  assert.deepEqual((await numbers()).wrong?.[0], 3);
  const others = await browserOf(site.app, granted([{ types: ["certmgr.certificate"], actions: ["view"] }]));
  assert.doesNotMatch((await others.get("/")).html, /problem=/);
});

Deno.test("the list of endpoints begins with the worst state and its complete message; another order can be chosen", async () => {
  await using site = await startMixed();
  const browser = await browserOf(site.app);
  const { html } = await browser.get("/endpoints/?q=tile.example");
  assert.deepEqual(hostsIn(html), ["away", "refused", "wrong", "unknown", "expiring", "fine"]);
  assert.match(
    html,
    /<td class="[^"]*">.*<span class="sentence">The certificate is not for wrong\.tile\.example\.<\/span>/,
  );
  assert.match(html, /aria-sort="ascending"><a href="[^"]*ordering=-severity[^"]*">State/);
  const reverse = await browser.get("/endpoints/?q=tile.example&ordering=-severity");
  assert.deepEqual(hostsIn(reverse.html), ["fine", "expiring", "unknown", "wrong", "refused", "away"]);
  const byHost = await browser.get("/endpoints/?q=tile.example&ordering=host");
  assert.deepEqual(hostsIn(byHost.html), [...WAYS].sort());
  assert.equal((await browser.get("/endpoints/?q=tile.example&start=1")).status, 200);
});

Deno.test("the list of endpoints says what to do about each, and has a tab for those that need attention", async () => {
  await using site = await startMixed();
  const browser = await browserOf(site.app);
  const { html } = await browser.get("/endpoints/?q=tile.example");
  const steps = Object.fromEntries(
    html.split("<tr").slice(2).map((row) => [
      hostsIn(row)[0],
      /class="step">([^<]*)</.exec(row)?.[1],
    ]),
  );
  assert.deepEqual(steps, {
    away: "Check the server",
    refused: "Check its TLS settings",
    wrong: "Serve a matching one",
    unknown: "Check whether it belongs here",
    expiring: "Renew",
    fine: undefined,
  });
  const tab =
    /<a\s+href="([^"]*severity__lt[^"]*)"[^>]*>Needs attention<span class="count">5</.exec(html)?.[1] ?? "";
  const attention = await browser.get(tab.replaceAll("&amp;", "&"));
  assert.deepEqual(hostsIn(attention.html), ["away", "refused", "wrong", "unknown", "expiring"]);
  assert.match(
    attention.html,
    /aria-current="page"[^>]*>Needs attention<span class="count">5<.*>All<span class="count">6</,
  );
});

Deno.test("an endpoint whose address changes is pending again, and comes last", async () => {
  await using site = await startMixed();
  const [away] = (await site.ask("endpoints/?host=away.tile.example")).results as { id: number }[];
  const changed = await site.ask(`endpoints/${away?.id}/`, { port: 8443 }, "PATCH");
  assert.deepEqual([changed.state, changed.severity], ["pending", 12]);
  assert.equal((await site.ask(`endpoints/${away?.id}/probe/`, {})).severity, 0);
});

Deno.test("the page of a scan job summarizes its last run in a sentence, and says that a disabled one does not run", async () => {
  await using site = await startSite();
  const browser = await browserOf(site.app);
  const { id } = await site.ask("scan-jobs/", { name: "Said", networks: ["10.3.0.0/30"] });
  const { database } = site.app;
  const shown = async (result: unknown): Promise<string> => {
    await database.write((tx) =>
      tx.run(
        sql`UPDATE scan_jobs SET last_run = 0, last_result = ${
          JSON.stringify(result)
        } WHERE id = ${id as number}`,
      )
    );
    return (await browser.get(`/scan-jobs/${id}/`)).html;
  };
  const enabled = (await browser.get(`/scan-jobs/${id}/`)).html;
  assert.match(enabled, /It has not run yet/);
  assert.doesNotMatch(enabled, /Disabled:/);
  await site.ask(`scan-jobs/${id}/`, { enabled: false }, "PATCH");
  assert.match(
    (await browser.get(`/scan-jobs/${id}/`)).html,
    /Disabled:<\/strong> it does not run.*#f-enabled/s,
  );
  const counts = { addresses: 4_096, answered: 3, created: 1, known: 2 };
  const whole = /4,096 connections, 3 servers answered: 1 new endpoint, 2 known\./;
  assert.match(await shown({ ...counts, stopped: false }), whole);
  assert.match(await shown({ ...counts, stopped: true }), /2 known\. It was stopped early\./);
  assert.match(
    await shown({ addresses: 1, answered: 1, created: 0, known: 1 }),
    /1 connection, 1 server answered: 0 new endpoints, 1 known\./,
  );
  assert.match(await shown({ error: "10.3.0.0/30 is not allowed." }), /10\.3\.0\.0\/30 is not allowed\./);
  assert.match(await shown(null), /Running, or interrupted\./);
});

Deno.test("on a platform without sockets, the pages of endpoints and scan jobs say that agents are needed", async () => {
  const says = /This platform has no sockets.*certmgr agent/;
  await using edge = await testApp();
  const there = await browserOf(edge);
  for (const path of ["/endpoints/1/", "/scan-jobs/1/"]) {
    assert.match((await there.get(path)).html, says, path);
  }
  await edge.database.write((tx) => tx.run(sql`UPDATE endpoints SET source = 'agent:dmz' WHERE id = 1`));
  assert.doesNotMatch((await there.get("/endpoints/1/")).html, says, "an agent reports this one");
  await using site = await startSite();
  const here = await browserOf(site.app);
  for (const path of ["/endpoints/1/", "/scan-jobs/1/"]) {
    assert.doesNotMatch((await here.get(path)).html, says, path);
  }
});

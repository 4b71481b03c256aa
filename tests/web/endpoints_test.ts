/** The pages of endpoints: adding names by pasting, the tile of the dashboard. */

import assert from "node:assert/strict";
import { sql } from "drizzle-orm";
import { granted } from "../support/actors.ts";
import { testApp } from "../support/app.ts";
import { presenting, probed, type Site, startSite, UNREACHABLE } from "../domain/endpoints/support.ts";
import { TestCa } from "../support/test_ca/mod.ts";
import { browserOf, textOf } from "./imports/browser.ts";

/** Names have tags where they may be truncated or broken. */
const withoutTags = (html: string): string => html.replaceAll(/<\/?span[^>]*>|<wbr>/g, "");

Deno.test("pasted names become endpoints; an invalid name adds nothing and is quoted", async () => {
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
    assert.ok(withoutTags(html).includes(name), name);
  }
});

Deno.test("a pasted table becomes endpoints, and an error names the line and the column", async () => {
  await using app = await testApp();
  const browser = await browserOf(app);
  const bad = await browser.post("/endpoints/import/", { names: "host,port\na.table.example,0" });
  assert.equal(bad.status, 400);
  assert.match(bad.html, /<p>Line 1: Port: /);
  const good = await browser.post("/endpoints/import/", {
    names: "Host,Port,Interval\na.table.example,8443,60",
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
  const lines = withoutTags(html).split("<tr").filter((one) => one.includes("map.example:443"));
  assert.equal(lines.length, 1, "both endpoints are in the row of their certificate");
  for (const host of ["2 endpoints", "a.map.example:443", "b.map.example:443"]) {
    assert.match(
      lines[0] ?? "",
      new RegExp(`href="/certificates/\\d+/".*>a\\.map\\.example<.*>${host}<.*href="/devices/1/"`, "s"),
    );
  }
  const shown = [
    ...html.matchAll(/<a href="(\/endpoints\/map\/[^"]*)"[^>]*>([A-Z][^<]*) <span class="count">(\d+)</g),
  ];
  assert.deepEqual(shown.map(([, , label, count]) => [label, count]), [
    ["Needs attention", "2"],
    ["All", "2"],
  ]);
  const few = granted([{ types: ["certmgr.endpoint"], actions: ["view"] }]);
  const others = await browserOf(app, { ...few, username: "few" });
  const hidden = (await others.get("/endpoints/map/?q=map.example")).html;
  assert.match(withoutTags(hidden), /a\.map\.example:443/);
  assert.doesNotMatch(hidden, /\/certificates\/\d|\/devices\/1/);
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
  // The map has the same order, across its pages.
  const first = (await browser.get("/endpoints/map/?q=tile.example&limit=3")).html;
  const last = (await browser.get("/endpoints/map/?q=tile.example&limit=3&offset=3")).html;
  for (
    const [page, ways] of [[first, ["away", "refused", "wrong"]], [last, [
      "unknown",
      "expiring",
      "fine",
    ]]] as const
  ) {
    assert.deepEqual(WAYS.filter((way) => page.includes(`${way}.tile.example`)).sort(), [...ways].sort());
  }
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
  // A phone shows the state first, then the step, then the expiry, which the state names already.
  const expiring = html.split("<tr").find((row) => hostsIn(row)[0] === "expiring") ?? "";
  assert.match(
    textOf(/<div class="narrow">.*?<\/div>/s.exec(expiring)?.[0] ?? ""),
    /^\s*expiring\s+Renew\s+in \d+ days\s*$/,
  );
  const tab =
    /<a\s+href="([^"]*severity__lt[^"]*)"[^>]*>Needs attention<span class="count">5</.exec(html)?.[1] ?? "";
  const attention = await browser.get(tab.replaceAll("&amp;", "&"));
  assert.deepEqual(hostsIn(attention.html), ["away", "refused", "wrong", "unknown", "expiring"]);
  assert.match(
    attention.html,
    /aria-current="page"[^>]*>Needs attention<span class="count">5<.*>All<span class="count">6</,
  );
});

Deno.test("the map shows a certificate once, on the page of its worst endpoint, with all its endpoints", async () => {
  await using site = await startMixed();
  const browser = await browserOf(site.app);
  const { ca, servers, ask } = site;
  const leaf = await ca.issue({ cn: "fine.tile.example", sans: ["fine.tile.example", "again.tile.example"] });
  await ask("certificates/import/", { pem_content: leaf.pem });
  servers.serve("again.tile.example", [leaf, ca]);
  servers.serve("elsewhere.tile.example", [leaf, ca]);
  await probed(site, "again.tile.example");
  await probed(site, "elsewhere.tile.example");
  const page = async (offset: number): Promise<string> =>
    withoutTags((await browser.get(`/endpoints/map/?q=tile.example&limit=4&offset=${offset}`)).html);
  const [first, last] = [await page(0), await page(4)];
  const row = (first.split("<tr").find((one) => one.includes("elsewhere.tile.example:443"))) ?? "";
  assert.match(row, /name mismatch.*1 of 2.*2 endpoints.*again\.tile\.example:443/s);
  assert.doesNotMatch(last, /again\.tile\.example:443|elsewhere\.tile\.example:443/);
  assert.match(last, /fine\.tile\.example:443/);
  for (const parameter of ["show=all", "start=1", "columns=host"]) {
    assert.equal((await browser.get(`/endpoints/map/?${parameter}`)).status, 200, parameter);
  }
});

Deno.test("an endpoint whose address changes is pending again, and comes last", async () => {
  await using site = await startMixed();
  const [away] = (await site.ask("endpoints/?host=away.tile.example")).results as { id: number }[];
  const changed = await site.ask(`endpoints/${away?.id}/`, { port: 8443 }, "PATCH");
  assert.deepEqual([changed.state, changed.severity], ["pending", 11]);
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

Deno.test("on a phone, an observation has its certificate, address, protocol and time under its state", async () => {
  await using site = await startSite();
  const host = "narrow.example";
  site.servers.serve(host, [await site.ca.issue({ cn: host })]);
  const { id } = await probed(site, host);
  const { html } = await (await browserOf(site.app)).get(`/endpoints/${id}/`);
  const [, line = ""] = /id="observations".*?<div class="narrow">(.*?)<\/div>/s.exec(html) ?? [];
  assert.match(textOf(line), /narrow\.example.*192\.0\.2\.1.*TLS 1\.3.*UTC/);
});

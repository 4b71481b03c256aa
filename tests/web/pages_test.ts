/** All pages, for users who may do everything, only view, or nothing. */

import assert from "node:assert/strict";
import { routes } from "../../src/web/routes.ts";
import { auditor, stranger } from "../support/actors.ts";
import { type TestApp, testApp } from "../support/app.ts";
import { writtenBytes } from "../support/store.ts";
import { browserOf } from "./imports/browser.ts";

/** Returns the paths of the pages, with the first object of each kind; the steps of an import have separate tests. */
function pathsOf(method: "GET" | "POST"): string[] {
  return routes.filter((route) => route.method === method).map(({ path }) =>
    path.replace(/:id\{[^}]*\}/, "1").replace("/suggest/:name/", "/suggest/devices/")
  ).filter((path) => !path.includes(":"));
}

/** Actions that all users may do for themselves. */
const OWN = /^\/(profile|sign-out|calendar-feeds|saved-views|subscriptions|lists\/preferences)\//;
/** Pages that start a change, or ask for its input. */
const CHANGING = /\/(new|enter|edit|delete|add|import|renew|reject|generate)\/$/;

/** Parts of pages, for scripts. */
const FRAGMENTS = ["/search/results/"];

/** The first signing request has no PEM, so that it has no file. */
const MISSING = ["/csrs/1/pem/"];
/** Addresses that only lead to the page of another object. */
const REDIRECTS = ["/tokens/1/"];

const gets = pathsOf("GET").filter((path) => ![...MISSING, ...REDIRECTS].includes(path));

Deno.test("An administrator can open every page, and none violates its Content-Security-Policy", async () => {
  await using app = await testApp();
  const browser = await browserOf(app);
  assert(gets.length > 60, `${gets.length} pages`);
  for (const path of gets) {
    const { status, html, headers } = await browser.get(path);
    assert.equal(status, 200, path);
    if (!headers.get("content-type")?.startsWith("text/html")) continue;
    assert.match(
      headers.get("content-security-policy") ?? "",
      /default-src 'none'; script-src 'self';/,
      path,
    );
    assert.equal(headers.get("cache-control"), "no-store", path);
    if (!FRAGMENTS.includes(path)) {
      assert.match(html, /^<!doctype html><html lang="en"/, path);
      assert.match(html, /<h1>(?:[^<]|<wbr ?\/?>)+<\/h1>/, path);
    }
    assert.doesNotMatch(html, /<script(?![^>]* src=)|<style|\sstyle="|\son[a-z]+="|javascript:/, path);
    // As whole words, because the random letters of a form's token may contain one.
    assert.doesNotMatch(html, /\b(undefined|NaN)\b|\[object /, path);
    assert(new TextEncoder().encode(html).length < 100_000, `${path}: ${html.length} characters`);
  }
});

Deno.test("Pages offer no changes to users who may only view", async () => {
  await using app = await testApp();
  const browser = await browserOf(app, auditor());
  for (const path of gets.filter((path) => !OWN.test(path))) {
    const { status, html } = await browser.get(path);
    if (CHANGING.test(path)) {
      assert.equal(status, 403, path);
      continue;
    }
    assert.equal(status, 200, path);
    assert.doesNotMatch(
      html,
      /href="(?!\/(?:saved-views|calendar-feeds)\/new\/)[^"]*\/(new|enter|edit|delete|add|import|renew|reject)\//,
      path,
    );
    const posted = [...html.matchAll(/<form method="post" action="([^"]*)"/g)].map(([, action = ""]) =>
      action
    );
    const own = [
      "/sign-out/",
      "/lists/preferences/",
      "/saved-views/new/",
      ...(path === "/certificates/" ? ["/certificates/bulk/"] : []),
    ];
    assert.deepEqual(posted.filter((action) => !own.includes(action)), [], path);
    // Selected rows can only be exported.
    assert.doesNotMatch(html, /<button[^>]*name="action" value="(?!export")/, path);
  }
});

Deno.test("Every form of a user who may only view is refused and changes nothing", async () => {
  await using app = await testApp();
  const browser = await browserOf(app, auditor());
  await browser.get("/");
  const before = await writtenBytes(app.database);
  for (const path of pathsOf("POST").filter((path) => !OWN.test(path))) {
    if (path === "/certificates/bulk/") continue;
    const { status } = await browser.post(path, { ids: "1", confirmed: "yes", name: "x", version: "" });
    assert.equal(status, 403, path);
  }
  for (const action of ["status", "validate", "check", "assign_to"]) {
    const fields = { ids: "1", action, status: "revoked", target: "dcim.device 1" };
    const { status, headers } = await browser.post("/certificates/bulk/", fields);
    assert.equal(status, 303, action);
    assert.match(headers.get("set-cookie") ?? "", /certmgr_flash=error/, action);
  }
  assert.equal(await writtenBytes(app.database), before, "Something was stored");
});

Deno.test("A user without permissions sees no object and no link to one", async () => {
  await using app = await testApp();
  const browser = await browserOf(app, stranger());
  const { status, html } = await browser.get("/");
  assert.equal(status, 200);
  assert.match(html, /You do not have permission to view certificates/);
  const [menu = ""] = /<nav id="menu".*?<\/nav>/s.exec(html) ?? [];
  const seen = [...menu.matchAll(/href="([^"]*)"/g)].map(([, path]) => path);
  assert.deepEqual(seen, ["/", "/subscriptions/", "/users/"]);
  const open = ["/", "/users/", "/suggest/devices/", "/search/", "/search/results/"];
  for (const path of gets.filter((path) => !OWN.test(path) && !open.includes(path))) {
    if (path.includes("template")) continue;
    const { status } = await browser.get(path);
    assert.equal(status, path === "/users/1/" ? 404 : 403, path);
  }
  // Their own account.
  assert.doesNotMatch((await browser.get("/users/")).html, /alice|carol/);
  assert.equal((await browser.get("/suggest/devices/")).html, '{"options":[],"more":false}');
});

Deno.test("A visitor without a session signs in first, and returns to the requested page", async () => {
  await using app = await testApp();
  for (const path of gets) {
    const response = await plain(app, `${path}?q=x`);
    assert.equal(response.status, 303, path);
    assert.equal(
      response.headers.get("location"),
      `/sign-in/?next=${encodeURIComponent(`${path}?q=x`)}`,
      path,
    );
    assert.equal(await response.text(), "", path);
  }
  for (const path of pathsOf("POST")) {
    const response = await plain(app, path, { method: "POST", body: new FormData() });
    assert.deepEqual([response.status, response.headers.get("location")], [303, "/sign-in/"], path);
  }
});

async function plain({ app }: TestApp, path: string, init: RequestInit = {}): Promise<Response> {
  return await app.fetch(
    new Request(new URL(path, "https://certmgr.example"), { redirect: "manual", ...init }),
  );
}

Deno.test("An unknown page is a 404 page, a missing last slash is added, and an invalid id is not found", async () => {
  await using app = await testApp();
  const browser = await browserOf(app);
  for (
    const path of [
      "/nothing/",
      "/tenants/999/",
      "/tenants/99999999999999999999/",
      "/tenants/-1/",
      "/tenants/1/x/",
    ]
  ) {
    const { status, html } = await browser.get(path);
    assert.equal(status, 404, path);
    assert.match(html, /This page or object does not exist, or you may not view it\./, path);
  }
  const { status, location } = await browser.get("/tenants?q=a");
  assert.deepEqual([status, location], [301, "https://certmgr.example/tenants/?q=a"]);
});

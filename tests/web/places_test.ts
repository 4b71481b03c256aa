/** The places of the menu, and their pages as tabs. */

import assert from "node:assert/strict";
import { granted } from "../support/actors.ts";
import { testApp } from "../support/app.ts";
import { browserOf } from "./imports/browser.ts";

/** Returns the links of a navigation: path, text, and whether it is the current one. */
function linksOf(html: string, start: RegExp): [path: string, text: string, current: boolean][] {
  const [nav = ""] = new RegExp(`<nav ${start.source}.*?</nav>`, "s").exec(html) ?? [];
  return [...nav.matchAll(/<a href="([^"]*)"([^>]*)>(.*?)<\/a>/gs)].map((
    [, path = "", rest = "", text = ""],
  ) => [
    path.replaceAll("&amp;", "&"),
    text.replaceAll(/<[^>]*>/g, "").trim(),
    rest.includes("aria-current"),
  ]);
}

const TABS = /class="place"/;
const MENU = /id="menu"/;

Deno.test("The menu has ten places, and each of their pages is a tab that leads to the others", async () => {
  await using app = await testApp();
  const browser = await browserOf(app);
  const places = linksOf((await browser.get("/")).html, MENU);
  assert.deepEqual(places.map(([, text]) => text), [
    "Overview",
    "Work",
    "Certificates",
    "Endpoints",
    "Authorities",
    "Compliance",
    "Owners",
    "Systems",
    "Notifications",
    "Settings",
  ]);
  for (const [path, place] of places) {
    const tabs = linksOf((await browser.get(path)).html, TABS);
    for (const [to, tab] of tabs) {
      const { status, html } = await browser.get(to);
      assert.equal(status, 200, to);
      assert.deepEqual(linksOf(html, TABS).filter(([, , current]) => current), [[to, tab, true]]);
      const [[, marked] = []] = linksOf(html, MENU).filter(([, , current]) => current);
      assert.equal(marked, place, to);
    }
  }
});

Deno.test("A filtered list belongs to the place whose tab has its filters, and has the title of the tab", async () => {
  await using app = await testApp();
  const browser = await browserOf(app);
  const work = "/certificates/?expiry_status=expired&expiry_status=critical&expiry_status=warning";
  for (
    const [path, title, place] of [
      [work, "To renew", "Work"],
      [`${work}&key_size=256`, "To renew", "Work"],
      ["/certificates/?expiry_status=expired", "Certificates", "Certificates"],
      ["/endpoints/?certificate__status=replaced", "Still served", "Work"],
      ["/webhook-deliveries/", "Webhook deliveries", "Notifications"],
    ] as const
  ) {
    const { html } = await browser.get(path);
    assert.match(html, new RegExp(`<h1>${title}</h1>`), path);
    const [[, marked] = []] = linksOf(html, MENU).filter(([, , current]) => current);
    assert.equal(marked, place, path);
  }
});

Deno.test("A place leads to the first page that the user may view", async () => {
  await using app = await testApp();
  const types = ["tenancy.contact", "tenancy.contactrole", "dcim.device", "extras.webhookdelivery"];
  const browser = await browserOf(app, granted([{ types, actions: ["view"] }], { username: "vera" }));
  const menu = new Map(linksOf((await browser.get("/")).html, MENU).map(([path, text]) => [text, path]));
  assert.deepEqual([menu.get("Owners"), menu.get("Systems"), menu.get("Certificates")], [
    "/contacts/",
    "/devices/",
    undefined,
  ]);
  const tabsOf = async (path: string) => linksOf((await browser.get(path)).html, TABS).map(([to]) => to);
  assert.deepEqual(await tabsOf("/contacts/"), ["/contacts/", "/contact-roles/"]);
  assert.deepEqual(await tabsOf("/devices/"), []);
  assert.ok((await tabsOf("/subscriptions/")).includes("/webhook-deliveries/"));
});
